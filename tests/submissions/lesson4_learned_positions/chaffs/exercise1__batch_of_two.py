# question: exercise1
# expect: 0
# why: goes on with the batch of two
# mistake: keeps the batch of two
dout1 = dout
dtoken1, dP1 = positional_backward(dout1, block_size)
rows_equal = np.array_equal(dP1[:T], dout1[0])
