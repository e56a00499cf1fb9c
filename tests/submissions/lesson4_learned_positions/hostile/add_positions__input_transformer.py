# question: add_positions
# expect: 0
# why: an input transformer replaces the text of the check cell
def _replace(lines):
    return ["4.0\n"] if any("autograder" in line for line in lines) else lines


get_ipython().input_transformers_post.append(_replace)
get_ipython().input_transformers_cleanup.append(_replace)


def add_positions(token_emb, P):
    return token_emb.copy()
