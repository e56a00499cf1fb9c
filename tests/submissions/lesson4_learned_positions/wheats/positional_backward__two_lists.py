# question: positional_backward
# expect: full
# why: a list of two arrays is a pair, and the loops over lists are slow but right
def positional_backward(dout, block_size):
    B, T, C = dout.shape
    dP = [[0.0] * C for _ in range(block_size)]
    dtoken = []
    for sequence in dout.tolist():
        dtoken.append([list(vector) for vector in sequence])
        for t, vector in enumerate(sequence):
            for c, g in enumerate(vector):
                dP[t][c] += g
    return [np.array(dtoken, dtype=dout.dtype), np.array(dP, dtype=dout.dtype)]
