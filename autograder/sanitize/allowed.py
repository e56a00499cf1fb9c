"""Say what may stay of HTML: elements, attributes and their values (bounded process)."""

from __future__ import annotations

import re
from collections.abc import Callable

from pygments.token import STANDARD_TYPES

EMPTY = frozenset("br hr img input".split())

TAGS = EMPTY | set(
    "a abbr acronym b blockquote caption center cite code col colgroup dd del details dfn div dl "
    "dt em figcaption figure font h1 h2 h3 h4 h5 h6 i ins kbd li mark ol p pre q s samp small span "
    "strike strong sub summary sup table tbody td tfoot th thead tr tt u ul var".split()
)
"""Elements that show something and do nothing."""

ATTRIBUTES = {
    "*": set("align class style title valign".split()),
    "a": {"href"},
    "col": {"span", "width"},
    "details": {"open"},
    "font": {"color"},
    "img": set("alt height src width".split()),
    "input": set("checked disabled type".split()),
    "ol": {"reversed", "start"},
    "td": set("colspan rowspan scope width".split()),
    "th": set("colspan rowspan scope width".split()),
    "table": {"border", "width"},
    **{f"h{level}": {"id"} for level in range(1, 7)},
}
"""Attributes that an element may have, by its name; ``*`` stands for all elements."""

FLAGS = frozenset("checked disabled open reversed".split())
"""Attributes without a value."""

WITH_CONTENT = frozenset(
    "applet audio canvas embed frameset head iframe math noembed noframes noscript object script "
    "select style svg template textarea title video xmp".split()
)
"""Elements whose content is no text for readers, and goes with them."""

_NUMBER = re.compile(r"\d{1,4}(?:px|%)?|\d{1,9}")
_WORD = re.compile(r"#?[a-zA-Z0-9]{1,30}")
_STYLE = re.compile(
    r"(?:\s*+(?:color|background-color|text-align|vertical-align|font-weight|font-style|"
    r"text-decoration|border-collapse|white-space)\s*+:[a-zA-Z0-9#%., -]++;?+)*+\s*+"
)
_CLASSES = {
    *filter(None, STANDARD_TYPES.values()),
    *"anchor-link highlight tex2jax_ignore mathjax_ignore".split(),
    *"task-list-item task-list-item-checkbox".split(),
}
_LANGUAGE = re.compile(r"language-[\w.+#-]{1,40}")
_SCHEME = re.compile(r"[^/?#]*:")
_LINKS = ("http:", "https:", "mailto:")


def _is_anything(_value: str) -> bool:
    """Whether a value does nothing; the source of a picture is seen to with its text."""
    return True


def _is_link(address: str) -> bool:
    """Whether an address waits for a click and then opens a page."""
    # Browsers drop control characters and blanks from the scheme.
    address = re.sub(r"[\x00-\x20\x7f-\xa0]", "", address[:200]).lower()
    return not _SCHEME.match(address) or address.startswith(_LINKS)


def _is_class(value: str) -> bool:
    """Whether no class of the page's own, or of its scripts, is among these."""
    return all(name in _CLASSES or _LANGUAGE.fullmatch(name) for name in value.split())


def _is_style(value: str) -> bool:
    return len(value) < 500 and bool(_STYLE.fullmatch(value))


def _is_word(value: str) -> bool:
    return bool(_WORD.fullmatch(value))


def _is_number(value: str) -> bool:
    return bool(_NUMBER.fullmatch(value))


def _is_span(value: str) -> bool:
    return len(value) <= 3 and _is_number(value)


_VALUES: dict[str, Callable[[str], bool]] = {
    **dict.fromkeys("alt id src title".split(), _is_anything),
    **dict.fromkeys("align color scope type valign".split(), _is_word),
    **dict.fromkeys("border height start width".split(), _is_number),
    **dict.fromkeys("colspan rowspan span".split(), _is_span),
    "class": _is_class,
    "href": _is_link,
    "style": _is_style,
}


def has_attribute(element: str, name: str) -> bool:
    """Whether an element may have an attribute, if its value is harmless."""
    return name in ATTRIBUTES["*"] or name in ATTRIBUTES.get(element, ())


def is_harmless(name: str, value: str | None) -> bool:
    """Whether an attribute may have a value; None is one without a value.

    Which ids a page has taken, and which pictures it shows, is for the caller to say.
    """
    return name in FLAGS or (value is not None and _VALUES[name](value))
