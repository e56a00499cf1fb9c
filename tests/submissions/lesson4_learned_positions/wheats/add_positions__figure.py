# question: add_positions
# expect: full
# why: draws and shows a figure in the answer cell
def add_positions(token_emb, P):
    return token_emb + P[np.arange(token_emb.shape[1])]


plt.figure(figsize=(3, 2))
plt.plot(add_positions(token_emb, P)[0])
plt.title("first sequence")
plt.show()
