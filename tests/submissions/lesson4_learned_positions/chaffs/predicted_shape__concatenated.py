# question: predicted_shape
# expect: 0
# why: thinks of joining token and position, not of adding them
# mistake: makes vectors longer, as if token and position were joined
predicted_shape = (B, T, C + C)
