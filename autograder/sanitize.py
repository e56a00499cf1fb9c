"""Keep what students wrote from acting on the page that shows it.

Graded notebooks are opened in Formgrader, in an instructor's browser and with an instructor's
rights. So nothing of a student's may bring a script there: outputs are reduced to text, pictures
and cleaned HTML, and the HTML in text cells is cleaned too.
"""

from __future__ import annotations

import html
import re
from typing import Any
from urllib.parse import unquote

import bleach
from nbformat.notebooknode import NotebookNode

PICTURES = ("image/png", "image/jpeg")

TAGS = bleach.ALLOWED_TAGS | set(
    "br caption dd del details div dl dt h1 h2 h3 h4 h5 h6 hr img p pre span sub summary sup "
    "table tbody td tfoot th thead tr u".split()
)
"""Elements that show something and do nothing."""

ATTRIBUTES = {"*": ["title", "scope", "colspan", "rowspan", "align"], "img": ["alt"], "a": ["href"]}

_UNWRITABLE = re.compile(r"[\ud800-\udfff\x00-\x07\x0b\x0e-\x1a\x1c-\x1f\x7f-\x9f]")
"""What UTF-8, databases or pages do not take; colours need ESC, and progress bars CR and BS."""

_UNPRINTABLE = re.compile(
    r"[\ud800-\udfff\x00-\x1f\x7f-\x9f\xad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    r"\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
"""What moves, hides or turns round a line's other text; scripts and emoji need their joiners."""

_BASE64 = re.compile(r"[A-Za-z0-9+/=\s]*")
_SCRIPT = re.compile(r"(script|data):", re.IGNORECASE)
_TAG = re.compile(r"<[A-Za-z!/?]")


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


def clean_html(source: str) -> str:
    """Return HTML with everything but harmless elements and attributes shown as text."""
    return str(bleach.clean(source, tags=TAGS, attributes=ATTRIBUTES))


def clean_text(source: str) -> str:
    """Return the source of a text cell with its HTML cleaned and links to scripts taken apart.

    A text without HTML and without such links stays as it is.
    """
    if _TAG.search(source):
        source = clean_html(source)
    if _SCRIPT.search(re.sub(r"[\s\x00-\x1f\\]", "", html.unescape(unquote(source)))):
        source = re.sub(r"\]\s*([(:\[])", r"] \1", source).replace("<", "&lt;")
    return source


def clean_data(data: dict[str, Any]) -> dict[str, Any]:
    """Return the parts of an output's data that may be shown."""
    shown: dict[str, Any] = {}
    for kind, value in data.items():
        if not isinstance(value, str):
            continue
        if kind == "text/plain" or (kind in PICTURES and _BASE64.fullmatch(value)):
            shown[kind] = value
        elif kind == "text/html":
            shown[kind] = clean_html(value)
    return shown


def clean_output(output: NotebookNode) -> NotebookNode:
    """Return an output without anything active in it."""
    if "data" in output:
        output.data = NotebookNode(clean_data(output.data))
        output.metadata = NotebookNode()
    return output
