# question: add_positions
# expect: full
# why: unsigned, cut and binary messages on the output socket; the answer is right
_kernel = get_ipython().kernel


def _noise(*frames):
    _kernel.iopub_socket.send_multipart(list(frames))


for _n in range(50):
    _noise(b"")
    _noise(b"topic", b"<IDS|MSG>")
    _noise(b"topic", b"<IDS|MSG>", b"0" * 64, b"{}", b"{}", b"{}", b"{}")
    _noise(b"\xff\xfe" * 100, b"<IDS|MSG>", b"", b"[[[[", b"null", b"7", b'"x"')


def add_positions(token_emb, P):
    return token_emb + P[: token_emb.shape[1]]
