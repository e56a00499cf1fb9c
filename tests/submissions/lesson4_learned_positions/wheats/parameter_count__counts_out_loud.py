# question: parameter_count
# expect: full
# why: prints some hundred kilobytes while it counts
def parameter_count(block_size, C):
    n = 0
    for t in range(block_size):
        n += C
        print("row", t, "adds", C, "numbers, which makes", n)
    return n


for size in range(0, 900, 100):
    parameter_count(size, 768)
