# question: exercise1
# expect: 0
# why: cuts a batch of one from dout and does not draw with seed 1
# mistake: takes the first sequence of dout, or draws with seed 0
dout1 = dout[:1]
_, dP1 = positional_backward(dout1, block_size)
rows_equal = np.array_equal(dP1[:T], dout1[0])
