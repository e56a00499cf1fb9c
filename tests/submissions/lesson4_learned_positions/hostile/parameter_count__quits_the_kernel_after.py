# question: parameter_count
# expect: full
# why: asks the kernel to shut down in a cell after the last check; all points were earned
def parameter_count(block_size, C):
    return block_size * C
# %% after parameter_count_check
get_ipython().kernel.do_shutdown(False)
exit()
