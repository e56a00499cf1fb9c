# question: predicted_shape
# expect: full
# why: a cell of the student's own ends the kernel; the answers before and after it count
predicted_shape = (2, 5, 4)
# %% before add_positions
import os
import signal

os.kill(os.getpid(), signal.SIGKILL)
