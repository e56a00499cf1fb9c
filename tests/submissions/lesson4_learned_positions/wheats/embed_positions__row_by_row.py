# question: embed_positions
# expect: full
# why: asks position_vector for each row and says in its own words what was missing
def embed_positions(token_emb, P):
    T = token_emb.shape[1]
    try:
        rows = [position_vector(P, t) for t in range(T)]
    except IndexError as error:
        raise IndexError(f"a text of {T} tokens ({error})") from error
    return token_emb + np.array(rows)
