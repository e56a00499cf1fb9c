# question: add_positions
# expect: full
# why: shows a page of many empty lines with one that looks like a hidden one
def add_positions(token_emb, P):
    return token_emb + P[: token_emb.shape[1]]


_lines = "\n" * 3_000_000 + "mistakes={\nalternatives={\nimport numpy as np\n"
display({"text/html": _lines, "text/plain": "a page"}, raw=True)
