# question: embed_positions
# expect: full
# why: lists of lists of vectors, stacked at the end; input and print are other things here
input = token_emb
old_print, print = print, lambda *args, **kwargs: None


def embed_positions(token_emb, P):
    if len(token_emb[0]) > len(P):
        raise IndexError("too long: {} tokens for a block_size of {}".format(len(token_emb[0]), len(P)))
    out = []
    for sequence in token_emb:
        out.append([])
        for t, vector in enumerate(sequence):
            out[-1].append(np.add(vector, P[t]))
    return np.array(out)


print = old_print
