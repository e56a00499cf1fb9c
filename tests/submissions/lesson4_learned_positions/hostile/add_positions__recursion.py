# question: add_positions
# expect: 0
# why: plain endless recursion is an exception like others
def add_positions(token_emb, P):
    return add_positions(token_emb, P) + P
