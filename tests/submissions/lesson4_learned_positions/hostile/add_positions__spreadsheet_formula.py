# question: add_positions
# expect: 0
# why: an exception whose text a spreadsheet would run, for the exported reasons
def add_positions(token_emb, P):
    raise type("=cmd", (Exception,), {})("=1+1\r\n\"=HYPERLINK(A1)\",,\n@x")
