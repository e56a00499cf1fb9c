# question: exercise2
# expect: full
# why: measures nothing and copies dP; the numbers are right and nothing tells them apart
eps = 1e-6
finite_difference, control = dP[6, 0], dP[4, 0]
