"""Take everything out of HTML that acts, loads or leaves its place (bounded process)."""

from __future__ import annotations

import html
import re
from collections.abc import Collection
from urllib.parse import unquote

import nh3

from autograder.notes import Kind, Note
from autograder.sanitize.allowed import (
    ATTRIBUTES,
    EMPTY,
    FLAGS,
    TAGS,
    WITH_CONTENT,
    has_attribute,
    is_harmless,
)
from autograder.sanitize.pictures import is_picture
from autograder.sanitize.text import NO_MATH, printable

DEPTH = 60
"""Elements in elements; nh3 takes time with the square of the depth, browsers stop at 512."""

_TAG = re.compile(
    r"<(/?)([a-zA-Z][a-zA-Z0-9:-]*+)"
    r"((?:\s++[^\s\"'<>/=]++(?:\s*+=\s*+(?:\"[^\"<]*+\"|'[^'<]*+'|[^\s\"'=<>`]++))?+)*+)\s*+(/?)>"
)
_ATTRIBUTE = re.compile(
    r"([^\s\"'<>/=]++)(?:\s*+=\s*+(?:\"([^\"]*+)\"|'([^']*+)'|([^\s\"'=<>`]++)))?+"
)
_DECLARATION = re.compile(r"<[!?/][^<>]*+>")
_PAGE_IDS = {"notebook", "notebook-container", "statusmessage", "toc"}
"""Ids that every page has."""

_COMMAND = re.compile(
    r"\\(?=(?:href|url|style|class|cssId|require|mmlToken|includegraphics|bbox|html[A-Z][a-zA-Z]*)"
    r"(?![a-zA-Z]))([a-zA-Z]+)"
)
"""What lets a formula link, load, or change the page; macros that hide it must name it too."""

_PICTURE = re.compile(r"data:(image/(?:png|jpeg|gif));base64,([A-Za-z0-9+/]*+={0,2}+)")


class Unreadable(Exception):
    """A text is no HTML that can be taken apart."""


def decoded(text: str) -> str:
    """Return a text with the characters that its references stand for.

    Raises:
        Unreadable: the number of a character has thousands of digits, more than Python reads.
    """
    try:
        return html.unescape(text)
    except ValueError as error:
        raise Unreadable from error


def _disarmed(text: str) -> str:
    """Return a text as HTML without commands for MathJax, which reads no formula with elements."""
    parts = [html.escape(part, quote=False) for part in _COMMAND.split(text)]
    parts[1::2] = [f"<code>\\{command}</code>" for command in parts[1::2]]
    return "".join(parts)


def _comment(source: str, start: int) -> tuple[int, bool]:
    """Return where the comment there ends, and whether all parsers agree on that."""
    end = source.find("-->", start + 4)
    inner = source[start + 4 : end] if end >= 0 else source[start + 4 :]
    clear = end >= 0 and "<" not in inner and ">" not in inner and inner[-1:] != "-"
    return end + 3 if end >= 0 else len(source), clear


def _start_tag(name: str, attributes: dict[str, str | None]) -> str:
    shown = "".join(
        f" {key}" if value is None else f' {key}="{html.escape(value)}"'
        for key, value in attributes.items()
    )
    return f"<{name}{shown}>"


def _ids(taken: Collection[str]) -> set[str]:
    """Return the ids of a page with these grade ids."""
    forms = ("{}", "{}-comment", "{}_extra_credit")
    return _PAGE_IDS.union(form.format(name) for name in taken for form in forms)


class _Cleaner:
    """Takes everything out of HTML that acts, with one pass over it."""

    def __init__(
        self, pictures: dict[str, str], dropped: Collection[str], taken: Collection[str]
    ) -> None:
        self._pictures = pictures
        """Addresses by the names of attachments."""
        self._dropped = dropped
        self._taken = _ids(taken)
        self._verbatim = False
        """Whether text stands in ``pre`` or ``code``; other elements may end these."""
        self._out: list[str] = []
        self._open: list[str] = []
        self.notes: dict[Note, None] = {}
        self.changed = False
        """Whether the result is another page than the HTML."""

    def _change(self, note: str = "", kind: Kind = Kind.ACTIVE) -> None:
        self.changed = True
        if note:
            self.notes[Note(kind, note)] = None

    def clean(self, source: str) -> str:
        """Return HTML of known elements, each in the other and none too deep.

        Raises:
            Unreadable: it cannot be taken apart.
        """
        position = 0
        while (start := source.find("<", position)) >= 0:
            self._text(source[position:start])
            position = self._markup(source, start)
        self._text(source[position:])
        if self._open:
            self._change()
        self._out += [f"</{name}>" for name in reversed(self._open)]
        return "".join(self._out)

    def _text(self, text: str) -> None:
        plain = decoded(text)
        if not self._verbatim and (commands := _COMMAND.findall(plain)):
            for command in dict.fromkeys(commands):
                self._change(f"a command for formulas was put out of action: \\{command}")
            self._out.append(_disarmed(plain))
        else:
            self._out.append(text.replace(">", "&gt;"))

    def _markup(self, source: str, start: int) -> int:
        """Deal with what begins with ``<`` there; return where it ends."""
        if source.startswith("<!--", start):
            end, clear = _comment(source, start)
            if not clear or self._in_command():
                self._change()
            return end
        found = _TAG.match(source, start)
        if found is None:
            self._change()
            declaration = _DECLARATION.match(source, start)
            if declaration is None:
                self._out.append("&lt;")
                return start + 1
            return declaration.end()
        end_tag, name, attributes, _ = found.groups()
        name = name.lower()
        begins = not end_tag and name in ("pre", "code")
        self._verbatim = begins or (self._verbatim and name == "span")
        if name in WITH_CONTENT:
            self._change(f"HTML was left out: <{name}>")
            closing = re.compile(f"</{name}[^<>]*+>", re.IGNORECASE).search(source, found.end())
            if end_tag:
                return found.end()
            return closing.end() if closing else len(source)
        if name not in TAGS:
            self._change(f"HTML was left out: <{_short(name)}>")
        elif end_tag:
            self._end(name, attributes)
        else:
            self._start(name, attributes)
        return found.end()

    def _in_command(self) -> bool:
        return bool(self._out and re.search(r"\\[a-zA-Z]*$", self._out[-1][-20:]))

    def _end(self, name: str, attributes: str) -> None:
        if name not in self._open or attributes:
            self._change()
        if name not in self._open:
            return
        while (last := self._open.pop()) != name:
            self._change()
            self._out.append(f"</{last}>")
        self._out.append(f"</{name}>")

    def _start(self, name: str, attributes: str) -> None:
        kept: dict[str, str | None] = {}
        for found in _ATTRIBUTE.finditer(attributes):
            key = found[1].lower()
            values = [value for value in found.groups()[1:] if value is not None]
            value = decoded(values[0]) if values else None
            if self._keeps(name, key, value) and key not in kept:
                kept[key] = None if key in FLAGS else value
            else:
                self._change("" if key == "href" else f"HTML was left out: <{name} {_short(key)}>")
        if name == "img" and not self._image(kept):
            return
        if name == "input" and not (kept.get("type") == "checkbox" and "disabled" in kept):
            self._change("HTML was left out: <input>")
            return
        if name not in EMPTY:
            if len(self._open) >= DEPTH:
                self._change("HTML that is nested too deep was made flat")
                return
            self._open.append(name)
        self._out.append(_start_tag(name, kept))

    def _keeps(self, element: str, name: str, value: str | None) -> bool:
        """Whether an attribute may stay as it is."""
        if not has_attribute(element, name) or (name == "id" and value in self._taken):
            return False
        good = is_harmless(name, value)
        if name == "href" and value is not None and not good:
            self._change(f"a link was left out: {_short(value)}")
        return good

    def _image(self, attributes: dict[str, str | None]) -> bool:
        """Return whether a picture may be shown; write a text in its place if not."""
        source = attributes.get("src") or ""
        if source.startswith("attachment:"):
            name = source.removeprefix("attachment:")
            address = self._pictures.get(name) or self._pictures.get(unquote(name))
            if address is not None:
                self._change()
                attributes["src"] = address
                return True
            known = name in self._dropped or unquote(name) in self._dropped
            state = "cannot be shown" if known else "is missing"
            text = f"picture {_short(unquote(name))} {state}"
            self._change(f"the {text}", Kind.PICTURE)
        else:
            found = _PICTURE.fullmatch(source)
            if found and is_picture(found[1], found[2]):
                return True
            text = f"picture from elsewhere, not shown: {_short(source)}"
            self._change(f"a picture from elsewhere was left out: {_short(source)}", Kind.PICTURE)
        self._out.append(f"[{html.escape(text)}]")
        return False


def _short(text: str) -> str:
    return printable(text if len(text) <= 80 else f"{text[:79]}…", line=True)


def clean_with_notes(
    source: str,
    pictures: dict[str, str],
    dropped: Collection[str] = (),
    taken: Collection[str] = (),
) -> tuple[str, list[Note]]:
    """Return HTML with nothing in it that acts, and notes on what was taken out.

    Raises:
        Unreadable: it cannot be made so.
    """
    notes: dict[Note, None] = {}
    for _ in range(4):  # what is joined by taking something out is looked at again
        cleaner = _Cleaner(pictures, dropped, taken)
        source = cleaner.clean(source)
        notes.update(cleaner.notes)
        source = nh3.clean(
            source,
            tags=set(TAGS),
            attributes=ATTRIBUTES,
            url_schemes={"http", "https", "mailto", "data"},
            link_rel=None,
        )
        if not cleaner.changed:
            return source, list(notes)
    raise Unreadable


def clean_html(source: str) -> str:
    """Return HTML with harmless elements and attributes only, and no formulas.

    It takes time in proportion to the length, which the caller limits.
    """
    try:
        source, _ = clean_with_notes(source, {})
    except Unreadable:
        source = f"<pre>{html.escape(source)}</pre>"
    return f"<div {NO_MATH}>{source}</div>"


def is_inert(page: str, taken: Collection[str]) -> bool:
    """Whether a page needs no cleaning.

    Raises:
        Unreadable: it cannot be taken apart.
    """
    cleaner = _Cleaner({}, (), taken)
    cleaner.clean(page)
    return not cleaner.changed
