# question: hand_gradient
# expect: 0
# why: the mean again, rounded as one writes it by hand
# mistake: takes the mean over the three sequences instead of their sum
hand_dP = [[2, 1.33], [0, 1], [0, 0], [0, 0]]
hand_dP = np.array(hand_dP, dtype=np.float64)
