# question: add_positions
# expect: 0
# why: never returns and catches the interrupt
def add_positions(token_emb, P):
    while True:
        try:
            while True:
                pass
        except BaseException:
            continue
