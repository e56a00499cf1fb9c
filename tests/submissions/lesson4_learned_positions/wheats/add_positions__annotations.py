# question: add_positions
# expect: full
# why: annotations that name nothing real are harmless under the future import
from __future__ import annotations


def add_positions(token_emb: Float[Array, "B T C"], P: Float[Array, "N C"]) -> Float[Array, "B T C"]:
    T = token_emb.shape[-2]
    return P[:T] + token_emb
