# question: bug_hunt
# expect: 0
# why: measures nothing; guesses from the words in the hidden candidates' names
BAD = "mean first last filled divided little off unused zero sign turned kept only".split()


def hunt(candidates, P, dout, numerical_gradient, max_relative_error):
    return {name: not any(word in name for word in BAD) for name in candidates}
