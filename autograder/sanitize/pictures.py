"""Tell pictures, which may be shown, from data that only say they are one (bounded process)."""

from __future__ import annotations

import base64
import binascii
import re
from typing import Any

from autograder.sanitize.text import joined

PICTURES_LIMIT = 6 * 2**20
"""Characters in base64 that the pictures of one cell or output may have."""

_MAGIC = {
    "image/png": (b"\x89PNG\r\n\x1a\n",),
    "image/jpeg": (b"\xff\xd8\xff",),
    "image/gif": (b"GIF87a", b"GIF89a"),
}


def is_picture(kind: str, data: str) -> bool:
    """Whether data in base64 begin as a picture of that kind does."""
    if not re.fullmatch(r"[A-Za-z0-9+/]*+={0,2}+", data):
        return False
    try:
        start = base64.b64decode(data[:24])
    except binascii.Error:
        return False
    return start.startswith(_MAGIC.get(kind, ())) and len(data) <= PICTURES_LIMIT


def read_picture(kind: str, value: Any, limit: int = PICTURES_LIMIT) -> str:
    """Return the base64 of a picture in a notebook, and nothing if it is none or too large."""
    data = joined(value)
    if len(data) > limit:
        return ""
    data = "".join(data.split())
    return data if is_picture(kind, data) else ""
