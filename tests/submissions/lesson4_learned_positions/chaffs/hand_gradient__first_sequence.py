# question: hand_gradient
# expect: 0
# why: copies sequence 0 and forgets the others
# mistake: uses only the first sequence
hand_dP = [[1, 2], [0, -1], [0, 0], [0, 0]]
hand_dP = np.array(hand_dP, dtype=np.float64)
