# question: hand_gradient
# expect: full
# why: computes by machine what was asked for by hand; the value is right and cannot be told apart
hand_dP = np.zeros((4, 2))
for sequence in dout_small:
    hand_dP[: len(sequence)] += sequence
