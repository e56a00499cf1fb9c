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

_BASE64 = re.compile(r"[A-Za-z0-9+/=\s]*")
_SCRIPT = re.compile(r"(script|data):", re.IGNORECASE)
_TAG = re.compile(r"<[A-Za-z!/?]")


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
