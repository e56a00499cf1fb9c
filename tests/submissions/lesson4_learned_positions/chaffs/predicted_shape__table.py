# question: predicted_shape
# expect: 0
# why: names the shape of the table
# mistake: is the shape of the table P
predicted_shape = P.shape
