# question: predicted_shape
# expect: 0
# why: forgets that there are two sequences
# mistake: is the shape of the rows of P that are used, without the batch
predicted_shape = (5, 4)  # T rows of C numbers
