# question: bug_hunt
# expect: 0
# why: a mapping with scripts for keys and values
_script = "<script>/* corpus-injection */</script>"


def hunt(candidates, P, dout, numerical_gradient, max_relative_error):
    return {_script: _script, "zeros": _script} | dict.fromkeys(candidates, _script)
