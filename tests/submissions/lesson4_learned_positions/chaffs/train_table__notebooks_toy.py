# question: train_table
# expect: 0
# why: hands the work to the slow version, which knows the target of the notebook only
def train_table(P, target, token_emb, lr, steps):
    return train_slowly(P.copy(), lr, steps)
