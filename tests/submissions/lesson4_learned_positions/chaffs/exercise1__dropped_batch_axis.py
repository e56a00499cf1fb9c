# question: exercise1
# expect: 0
# why: dout[0] has no batch axis, so positional_backward cannot unpack its shape
# mistake: takes dout[0], which has no batch axis, so that positional_backward fails
dout1 = None  # shape (1, T, C)
dP1 = None  # shape (block_size, C)
rows_equal = None  # True or False
dout1 = dout[0]
_, dP1 = positional_backward(dout1, block_size)
rows_equal = np.array_equal(dP1[:T], dout1)
