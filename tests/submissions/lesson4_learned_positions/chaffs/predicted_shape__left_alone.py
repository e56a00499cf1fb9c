# question: predicted_shape
# expect: 0
# why: nothing was entered
# mistake: has no number in it yet
predicted_shape = None  # no idea, sorry
