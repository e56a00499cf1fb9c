# question: add_positions
# expect: 0
# why: a result whose type is called like a script
_script = "<script>/* corpus-injection */</script>\n\n# heading"
Odd = type(_script, (), {})


def add_positions(token_emb, P):
    return Odd()
