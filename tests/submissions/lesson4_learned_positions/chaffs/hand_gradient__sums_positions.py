# question: hand_gradient
# expect: 0
# why: adds up along the wrong axis
# mistake: adds up the positions of a sequence instead of the sequences at a position
hand_dP = np.zeros((4, 2))
hand_dP[:3] = dout_small.sum(axis=1)
hand_dP = np.array(hand_dP, dtype=np.float64)
