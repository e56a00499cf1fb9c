# question: predicted_shape
# expect: full
# why: an array of small integers holds the same numbers
# %% before predicted_shape
def sizes(array):
    """Return the sizes as an array (my helper)."""
    return np.array(array.shape, dtype=np.int8)
# %% answer predicted_shape
predicted_shape = sizes(token_emb)
# %% after predicted_shape
from IPython.display import HTML, display

display(HTML("<b>I am sure about this one</b>"))
predicted_shape.tolist()
