# question: predicted_shape
# expect: 0
# why: 2 * 5 * 4 numbers, which is a count and not a shape
# mistake: is the number of entries instead of the shape
predicted_shape = 2 * 5 * 4
