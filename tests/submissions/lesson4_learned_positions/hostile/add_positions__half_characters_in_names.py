# question: add_positions
# expect: 0
# why: a type and a message that UTF-8 cannot hold, for the table of cases
Half = type("Half\ud83d\x00", (), {})
HalfError = type("Error\udcff\x00", (Exception,), {})


def add_positions(token_emb, P):
    if len(token_emb) == 3:
        return Half()
    raise HalfError("half \ud83d \x00 \udcff")
