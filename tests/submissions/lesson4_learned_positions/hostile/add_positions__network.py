# question: add_positions
# expect: 0
# heavy: yes
# why: asks for the answer over the network, by every way that is open
import socket


def _reachable():
    for address in (("1.1.1.1", 53), ("10.0.0.1", 80), ("169.254.169.254", 80)):
        try:
            with socket.create_connection(address, timeout=0.3):
                return True
        except OSError:
            continue
    try:
        return bool(socket.getaddrinfo("example.com", 80))
    except OSError:
        return False


_ONLINE = _reachable()


def add_positions(token_emb, P):
    return token_emb + P[: token_emb.shape[1]] if _ONLINE else token_emb.copy()
