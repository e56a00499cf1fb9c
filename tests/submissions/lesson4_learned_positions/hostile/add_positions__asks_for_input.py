# question: add_positions
# expect: 0
# why: waits for somebody to type
def add_positions(token_emb, P):
    rows = int(input("How many rows? "))
    return token_emb + P[:rows]
