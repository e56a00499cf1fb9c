# question: add_positions
# expect: 0
# why: never returns; the question before counts
def add_positions(token_emb, P):
    while True:
        pass
