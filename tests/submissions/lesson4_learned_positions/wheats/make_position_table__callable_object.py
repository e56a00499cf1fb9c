# question: make_position_table
# expect: full
# why: an object with a call method is as good as a function
class TableMaker:
    """Makes tables."""

    made = 0

    def __call__(self, block_size, C, rng, scale=0.02):
        self.made += 1
        return rng.normal(0, scale, (block_size, C))


make_position_table = TableMaker()
