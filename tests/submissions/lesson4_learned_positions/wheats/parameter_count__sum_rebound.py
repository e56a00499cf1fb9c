# question: parameter_count
# expect: full
# why: sum is a number from here on, which no check may stumble over
sum = 0
for row in P:
    for entry in row:
        sum += 1
print("our table has", sum, "entries")


def parameter_count(block_size, C):
    return C * block_size
