# question: add_positions
# expect: 0
# why: hopes that broadcasting will cut the table
# mistake: adds the whole table without cutting it to T rows
def add_positions(token_emb, P):
    return token_emb + P
