# question: hand_gradient
# expect: 0
# why: the table has four rows, two are entered
# mistake: has a row for each position in use only; the table has four rows
hand_dP = dout_small.sum(axis=0)
hand_dP = np.array(hand_dP, dtype=np.float64)
