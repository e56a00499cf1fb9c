# question: predicted_shape
# expect: 0
# why: puts the sequence axis second
# mistake: has the axes for sequence and position exchanged
predicted_shape = [5, 2, 4]
