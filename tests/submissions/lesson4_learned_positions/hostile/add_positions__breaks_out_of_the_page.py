# question: add_positions
# expect: full
# why: output that ends the page's elements early; the answer is right
def add_positions(token_emb, P):
    return token_emb + P[: token_emb.shape[1]]


_ends = "</div></pre></main></body></html><!-- <style>* {display: none}</style>"
display({"text/html": _ends}, raw=True)
