# question: hand_gradient
# expect: full
# why: the last line of the cell is gone, but a nested list of numbers says the same
hand_dP = [[6, 4], [0, 3], [0, 0], [0, 0]]
