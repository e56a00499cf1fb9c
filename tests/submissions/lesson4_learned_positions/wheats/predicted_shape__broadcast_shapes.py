# question: predicted_shape
# expect: full
# why: lets NumPy work out the shape
predicted_shape = None  # replace None by a tuple with one number per axis of the result
predicted_shape = np.broadcast_shapes(token_emb.shape, P[:T].shape)
predicted_shape
