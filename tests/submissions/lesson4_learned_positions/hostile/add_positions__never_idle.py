# question: add_positions
# expect: full
# why: the kernel never says that it is idle; the answer is right
def add_positions(token_emb, P):
    return token_emb + P[: token_emb.shape[1]]
# %% after add_positions_check
get_ipython().kernel._publish_status = lambda *_, **__: None
