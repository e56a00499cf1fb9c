# question: hand_gradient
# expect: 0
# why: the signs got lost on paper
# mistake: adds the sizes and drops the signs
hand_dP = [
    [1 + 3 + 2, 2 + 2 + 4],
    [0 + 5 + 5, 1 + 1 + 3],
    [0, 0],
    [0, 0],
]
hand_dP = np.array(hand_dP, dtype=np.float64)
