# question: make_position_table
# expect: full
# why: line magics and a shell command stand around a right answer
%matplotlib inline
%precision 3
!echo "drawing a table"


def make_position_table(block_size, C, rng, scale=0.02):
    return rng.normal(0.0, scale, size=(block_size, C))


%timeit -n 2 -r 2 make_position_table(8, 4, np.random.default_rng(0))
