# question: exercise1
# expect: 0
# why: == compares entry by entry and gives an array
# mistake: compares entry by entry and keeps the array of answers
dout1 = np.random.default_rng(1).standard_normal((1, T, C))
_, dP1 = positional_backward(dout1, block_size)
rows_equal = dP1[:T] == dout1[0]
