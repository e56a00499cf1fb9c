# question: add_positions
# expect: full
# why: shows scripts in every kind of output; the page must not run them, the answer is right
def add_positions(token_emb, P):
    return token_emb + P[: token_emb.shape[1]]


_script = "<script>/* corpus-injection */ document.title = 'mine'</script>"
_image = "<img src='x' onerror='/* corpus-injection */ alert(1)'>"
_svg = f"<svg xmlns='http://www.w3.org/2000/svg' onload='/* corpus-injection */'>{_script}</svg>"
display({"text/html": f"<p>hello</p>{_script}{_image}"}, raw=True)
display({"application/javascript": "/* corpus-injection */ alert(1)"}, raw=True)
display({"image/svg+xml": _svg}, raw=True)
display({"text/markdown": f"{_script}\n\n[here](javascript:/*corpus-injection*/)"}, raw=True)
display({"text/latex": f"$x$ {_script}"}, raw=True)
display({"image/png": f"'>{_script}"}, raw=True)
display({"image/png": "AAAA"}, raw=True, metadata={"image/png": {"alt": f"'\">{_script}"}})
display({"text/html": f"<iframe srcdoc=\"{_script.replace('<', '&lt;')}\"></iframe>"}, raw=True)
print(_script, "\x1b]8;;javascript:/*corpus-injection*/\x1b\\link\x1b]8;;\x1b\\")
