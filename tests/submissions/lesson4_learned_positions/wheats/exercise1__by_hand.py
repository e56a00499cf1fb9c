# question: exercise1
# expect: full
# why: works dP1 out without positional_backward, draws a figure and compares with allclose
rng = np.random.default_rng(1)
dout1 = np.expand_dims(rng.standard_normal((T, C)), 0)
dP1 = np.pad(dout1.sum(axis=0), ((0, block_size - T), (0, 0)))
rows_equal = np.allclose(dP1[:5], dout1[0], rtol=0, atol=0)
plt.imshow(dP1)
plt.colorbar()
plt.show()
