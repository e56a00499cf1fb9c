# question: positional_backward
# expect: full
# why: logs to stderr on every call and warns about nothing in particular
import logging
import warnings

logging.basicConfig(level=logging.DEBUG)
log = logging.getLogger("backward")


def positional_backward(dout, block_size):
    log.info("dout %s, block_size %d", dout.shape, block_size)
    log.error("this is not an error")
    warnings.warn("gradients ahead", stacklevel=2)
    _, T, C = dout.shape
    dP = np.zeros_like(dout, shape=(block_size, C))
    dP[:T] = np.cumsum(dout, axis=0)[-1]
    return dout.copy(), dP


_ = positional_backward(dout, block_size)
