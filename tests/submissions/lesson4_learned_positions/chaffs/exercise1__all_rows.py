# question: exercise1
# expect: 0
# why: compares eight rows with five and finds them unequal
# mistake: finds the rows unequal: it compares all of dP1, or another sequence
dout1 = np.random.default_rng(1).standard_normal((1, T, C))
_, dP1 = positional_backward(dout1, block_size)
rows_equal = np.array_equal(dP1, dout1[0])
