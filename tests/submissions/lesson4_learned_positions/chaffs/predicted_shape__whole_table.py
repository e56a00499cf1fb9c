# question: predicted_shape
# expect: 0
# why: lets the 8 rows of the table decide the number of positions
# mistake: takes all 8 rows of P, also those that no token needs
predicted_shape = (2, 8, 4)
