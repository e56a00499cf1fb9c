# question: hand_gradient
# expect: 0
# why: 2 + 2 + 4 in place of 2 - 2 + 4
# mistake: loses the minus sign of the -2 in sequence 1
hand_dP = [[6, 8], [0, 3], [0, 0], [0, 0]]
hand_dP = np.array(hand_dP, dtype=np.float64)
