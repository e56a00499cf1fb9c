# question: exercise3_guard
# expect: full
# why: a static method of a class with constants, bound to the asked name
class Guard:
    LEARNED, SINUSOIDAL = "learned", "sinusoidal"

    @staticmethod
    def position_allowed(t, block_size, kind):
        if t < 0:
            return False
        elif kind == Guard.SINUSOIDAL:
            return True
        else:
            return t not in range(block_size, t + 1)


position_allowed = Guard.position_allowed
print(*(position_allowed(t, 8, "learned") for t in range(-2, 12)))
