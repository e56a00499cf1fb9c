# question: positional_backward
# expect: full
# why: sums with a matrix of zeros and ones
def positional_backward(dout, block_size):
    B, T, C = dout.shape
    # uses[n, b * T + t] is 1 where row n was used
    uses = np.zeros((block_size, B * T), dtype=dout.dtype)
    for b in range(B):
        for t in range(T):
            uses[t, b * T + t] = 1
    return dout + 0, uses @ dout.reshape(-1, C)
