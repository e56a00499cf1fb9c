# question: embed_positions
# expect: 0
# why: tries to leave through exceptions that are no errors
class Out(BaseException):
    pass


def embed_positions(token_emb, P):
    if token_emb.shape[1] > len(P) + 1:
        raise SystemExit(0)
    if token_emb.shape[1] > len(P):
        raise Out(f"{token_emb.shape[1]} {len(P)}")
    return token_emb + P[: token_emb.shape[1]]
