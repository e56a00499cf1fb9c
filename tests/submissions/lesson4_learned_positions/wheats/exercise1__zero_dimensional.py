# question: exercise1
# expect: full
# why: rows_equal is one truth value in an array without dimensions; seeds the old generator too
np.random.seed(12345)
dout1 = np.random.default_rng(seed=1).standard_normal(size=(1, T, C))
_, dP1 = positional_backward(dout1, block_size)
rows_equal = np.asarray(all(np.array_equal(a, b) for a, b in zip(dP1, dout1[0])))
np.random.rand(1000).mean()
