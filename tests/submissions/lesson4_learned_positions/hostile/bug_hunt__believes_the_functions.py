# question: bug_hunt
# expect: 0
# why: measures nothing; looks at where the hidden candidates come from in the caller
import sys


def hunt(candidates, P, dout, numerical_gradient, max_relative_error):
    wrong = set()
    frame = sys._getframe(1)
    while frame is not None:
        for name, value in frame.f_locals.items():
            if isinstance(value, dict) and name.strip("_") in ("wrong", "corners", "bad"):
                wrong |= set(value)
        frame = frame.f_back
    right = {"_plain", "_by_loop", "beetle"}
    return {
        name: name not in wrong and getattr(f, "__name__", "") in right
        for name, f in candidates.items()
    }
