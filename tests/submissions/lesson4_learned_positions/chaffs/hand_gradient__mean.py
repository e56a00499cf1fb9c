# question: hand_gradient
# expect: 0
# why: divides by the three sequences
# mistake: takes the mean over the three sequences instead of their sum
hand_dP = [[6 / 3, 4 / 3], [0 / 3, 3 / 3], [0, 0], [0, 0]]
hand_dP = np.array(hand_dP, dtype=np.float64)
