# question: add_positions
# expect: full
# why: prints and shows characters that UTF-8 cannot hold; the answer is right
def add_positions(token_emb, P):
    return token_emb + P[: token_emb.shape[1]]


print("half of a smile: \ud83d, and \udcff \x00 \x1b[31m \x07 \ufffe")
display({"text/plain": "\ud83d", "text/html": "\udc00 \x00"}, raw=True)
raise ValueError("\ud83d \x00 \x1b[0m")
