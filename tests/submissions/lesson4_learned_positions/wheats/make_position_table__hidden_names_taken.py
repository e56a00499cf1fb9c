# question: make_position_table
# expect: full
# why: the student's globals carry the names that checks tend to use
case = "lower"
probe = {"voltage": 5}
rng = _rng = None
default_rng = "the default"
math = "hard"
_form = _facts = _seeds = print


def make_position_table(block_size, C, rng, scale=0.02):
    noise = rng.standard_normal(block_size * C)
    return (scale * noise).reshape(block_size, C)
