# question: sinusoidal_position
# expect: full
# why: the shell shows the value of every expression, and the answer is slow
import time

from IPython.core.interactiveshell import InteractiveShell

InteractiveShell.ast_node_interactivity = "all"
1 + 1


def sinusoidal_position(t, C):
    time.sleep(0.15)
    i = np.arange(C) // 2 * 2
    angles = t / np.power(10000.0, i / C)
    return np.where(np.arange(C) % 2, np.cos(angles), np.sin(angles))


sinusoidal_position(3, 4)
"that took a while"
