# question: hand_gradient
# expect: 0
# why: right method, wrong sum in one entry
# mistake: has 1 in place of 3: -1 + 1 + 3 is 3
hand_dP = [[6, 4], [0, 1], [0, 0], [0, 0]]
hand_dP = np.array(hand_dP, dtype=np.float64)
