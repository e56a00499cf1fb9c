# question: add_positions
# expect: 0
# why: uses the T of the setup cell, so it works for batches of five tokens only
# mistake: always takes 5 rows, whatever batch is handed in
def add_positions(token_emb, P):
    return token_emb + P[:T]
