# question: max_relative_error
# expect: 0
# why: nanmax hides the NaN of two zeros, and has nothing to say about zeros alone
# mistake: skips NaN instead of using a floor
def max_relative_error(a, b, floor=1e-12):
    with np.errstate(invalid="ignore"):
        errors = np.abs(a - b) / (np.abs(a) + np.abs(b))
    return np.nanmax(errors)
