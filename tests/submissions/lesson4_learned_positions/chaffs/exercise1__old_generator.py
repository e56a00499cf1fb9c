# question: exercise1
# expect: 0
# why: np.random.seed(1) gives other numbers than default_rng(1)
# mistake: draws from NumPy's old global generator
np.random.seed(1)
dout1 = np.random.randn(1, T, C)
dP1 = positional_backward(dout1, block_size)[1]
rows_equal = bool((dP1[:T] == dout1[0]).all())
