# question: hand_gradient
# expect: full
# why: fractions and integers turn into the same floats
from fractions import Fraction as F

hand_dP = [[F(1) + 3 + 2, F(2) - 2 + 4], [F(5) - 5, F(-1) + 1 + 3], [F(0), F(0)], 2 * [F(0)]]
hand_dP = np.array(hand_dP, dtype=np.float64)
