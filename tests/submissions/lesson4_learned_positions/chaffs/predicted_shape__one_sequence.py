# question: predicted_shape
# expect: 0
# why: strings the sequences together, with positions 0 to 9
# mistake: has the two sequences joined into one, with positions 0 to 9
predicted_shape = (10, 4)
