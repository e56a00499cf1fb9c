"""Write a text of a student's so that it can be read, and does nothing else (all processes).

Whatever writes imports this module, so it imports nothing but the standard library.
"""

from __future__ import annotations

import html
import re
from typing import Any

NO_MATH = 'class="tex2jax_ignore mathjax_ignore"'
"""Attribute of an element in whose text MathJax looks for no formulas."""

_UNWRITABLE = re.compile(r"[\ud800-\udfff\x00-\x07\x0b\x0e-\x1a\x1c-\x1f\x7f-\x9f]")
"""What UTF-8, databases or pages do not take; colours need ESC, and progress bars CR and BS."""

_UNPRINTABLE = re.compile(
    r"[\ud800-\udfff\x00-\x1f\x7f-\x9f\xad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    r"\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
"""What moves, hides or turns round a line's other text; scripts and emoji need their joiners."""


def printable(text: str, *, line: bool = False) -> str:
    r"""Return a text that can be written anywhere, with what cannot shown as an escape.

    A byte of a file name that is no UTF-8 is shown as ``\xe9``, half a surrogate pair as
    ``\ud800``. With ``line`` the text is for one line of a terminal, a log or a table: line ends,
    terminal escapes and what turns the direction of reading are shown as escapes too.
    """
    return (_UNPRINTABLE if line else _UNWRITABLE).sub(_escape, text)


def _escape(found: re.Match[str]) -> str:
    code = ord(found[0])
    if 0xDC80 <= code <= 0xDCFF:  # how Python keeps a byte that it could not decode
        return f"\\x{code - 0xDC00:02x}"
    return found[0].encode("unicode_escape").decode("ascii")


def no_math(text: str) -> str:
    """Return a text as HTML in which MathJax looks for no formulas."""
    return f"<span {NO_MATH}>{html.escape(text)}</span>"


def joined(value: Any) -> str:
    """Return a text of a notebook, which may be a list of lines."""
    if isinstance(value, list):
        value = "".join(part for part in value if isinstance(part, str))
    return value if isinstance(value, str) else ""
