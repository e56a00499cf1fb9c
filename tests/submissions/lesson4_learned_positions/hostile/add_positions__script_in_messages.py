# question: add_positions
# expect: 0
# why: scripts in an exception's text and type, which the table of cases shows
_script = "<script>/* corpus-injection */</script>"


def add_positions(token_emb, P):
    raise type(_script, (Exception,), {"__module__": _script, "__qualname__": _script})(_script)
