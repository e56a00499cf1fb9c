# question: add_positions
# expect: 0
# heavy: yes
# why: asks for more memory than there is
def add_positions(token_emb, P):
    return np.ones((10**5, 10**5)).cumsum()
