# question: predicted_shape
# expect: full
# why: asks the tokens, whose shape the sum keeps
B, T, C = token_emb.shape
predicted_shape = B, T, C
