# question: add_positions
# expect: 0
# why: shows numbers of points in all cells around the check
def add_positions(token_emb, P):
    display(4)
    return token_emb.copy()


4.0
# %% before add_positions_check
4
# %% after add_positions_check
get_ipython().kernel.shell.displayhook(4)
4
