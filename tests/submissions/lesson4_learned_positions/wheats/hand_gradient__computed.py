# question: hand_gradient
# expect: full
# why: lets NumPy do the paper work
hand_dP = np.zeros((4, 2))
for sequence in dout_small:
    hand_dP[:2] += sequence
hand_dP = np.array(hand_dP, dtype=np.float64)
