# question: exercise1
# expect: 0
# why: dP1 is the pair, and the comparison looks at the pair's second half
# mistake: keeps both results of positional_backward in dP1
dout1 = np.random.default_rng(1).standard_normal((1, T, C))
dP1 = positional_backward(dout1, block_size)
rows_equal = np.array_equal(dP1[1][:T], dout1[0])
