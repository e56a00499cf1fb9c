# question: exercise1
# expect: 0
# why: keeps the first T rows only
# mistake: cuts dP1 to its first T rows
dout1 = np.random.default_rng(1).standard_normal((1, T, C))
dP1 = positional_backward(dout1, block_size)[1][:T]
rows_equal = np.array_equal(dP1, dout1[0])
