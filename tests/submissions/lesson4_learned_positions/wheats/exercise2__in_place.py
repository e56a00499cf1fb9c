# question: exercise2
# expect: full
# why: nudges P itself and puts the saved values back
eps = 1e-6
answers = []
for t in (6, 4):
    keep = P[t, 0]
    P[t, 0] = keep + eps
    up = loss_fn(P)
    P[t, 0] = keep - eps
    down = loss_fn(P)
    P[t, 0] = keep
    answers.append((up - down) / 2 / eps)
[finite_difference, control] = answers
