"""Keep what students wrote from acting on the page that shows it.

Graded notebooks are opened in Formgrader, in an instructor's browser and with an instructor's
rights, and feedback pages in a student's. So nothing of a student's may bring a script there, send
a request, reach out of its own cell or keep the page waiting: outputs are reduced to text, pictures
and cleaned HTML. Of a text cell it is rendered what the pages will render, and only a text whose
page needs no cleaning stays as it is.

Everything here takes time in proportion to the length of its input, but for the rendering of
Markdown and of code, which gets a limit (`Budget`).
"""

from __future__ import annotations

import base64
import binascii
import html
import re
import signal
import threading
import time
from collections.abc import Callable, Collection
from typing import Any, TypeVar
from urllib.parse import quote, unquote

import nh3
from nbconvert.filters import strip_files_prefix
from nbconvert.filters.markdown_mistune import HTMLRenderer, IPythonRenderer, MarkdownWithMath
from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_output
from pygments.token import STANDARD_TYPES

TEXT_LIMIT = 100_000
"""Characters of a text cell that are shown."""

HTML_LIMIT = 100_000
"""Characters of an output's HTML up to which it is shown as HTML."""

PICTURES_LIMIT = 6 * 2**20
"""Characters in base64 that the pictures of one cell or output may have."""

CELL_SECONDS = 1.0
"""CPU-seconds that one cell may take to be rendered; an ordinary one takes some milliseconds."""

PAGE_SECONDS = 10.0
"""CPU-seconds that the cells of one page may take together to be rendered."""

NO_MATH = 'class="tex2jax_ignore mathjax_ignore"'
"""Attribute of an element in whose text MathJax looks for no formulas."""

ESCAPES = 5_000
"""Terminal escapes of an output that are kept; nbconvert copies what is left of it at each one."""

CUT = "\n… output cut here\n"

# Text ------------------------------------------------------------------------------------------

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


# Time ------------------------------------------------------------------------------------------

T = TypeVar("T")

UNTIMED_LENGTH = 5_000
"""Characters that are rendered where no timer can be set; the worst of them takes a second."""


class TooSlow(BaseException):
    """Work took longer than allowed; no ``except Exception`` of a library may swallow it."""


class Budget:
    """The CPU-seconds that the cells of one page may take to be rendered."""

    def __init__(self, seconds: float = PAGE_SECONDS, cell: float = CELL_SECONDS) -> None:
        self._left = seconds
        self._cell = cell

    def spend(self, work: Callable[[str], T], text: str) -> T:
        """Return ``work(text)``.

        Raises:
            TooSlow: it takes longer than one cell may, or than is left for the page. Where no timer
                can be set, outside the main thread, a long text counts as slow.
        """
        seconds = min(self._cell, self._left)
        if seconds <= 0:
            raise TooSlow
        start = time.process_time()
        try:
            return _within(seconds, work, text)
        finally:
            self._left -= time.process_time() - start


def _within(seconds: float, work: Callable[[str], T], text: str) -> T:
    main = threading.current_thread() is threading.main_thread()
    if not (main and hasattr(signal, "setitimer")):
        if len(text) > UNTIMED_LENGTH:
            raise TooSlow
        return work(text)
    running = [True]

    def stop(*_: object) -> None:
        if running:
            raise TooSlow

    before = signal.signal(signal.SIGVTALRM, stop)
    try:
        try:
            # Again and again, since an exception in a finalizer is lost.
            signal.setitimer(signal.ITIMER_VIRTUAL, seconds, 0.1)
            return work(text)
        finally:
            running.clear()
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


# HTML ------------------------------------------------------------------------------------------

_EMPTY = frozenset("br hr img input".split())

TAGS = _EMPTY | set(
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

DEPTH = 60
"""Elements in elements; nh3 takes time with the square of the depth, browsers stop at 512."""

_WITH_CONTENT = frozenset(
    "applet audio canvas embed frameset head iframe math noembed noframes noscript object script "
    "select style svg template textarea title video xmp".split()
)
"""Elements whose content is no text for readers, and goes with them."""

_TAG = re.compile(
    r"<(/?)([a-zA-Z][a-zA-Z0-9:-]*+)"
    r"((?:\s++[^\s\"'<>/=]++(?:\s*+=\s*+(?:\"[^\"<]*+\"|'[^'<]*+'|[^\s\"'=<>`]++))?+)*+)\s*+(/?)>"
)
_ATTRIBUTE = re.compile(
    r"([^\s\"'<>/=]++)(?:\s*+=\s*+(?:\"([^\"]*+)\"|'([^']*+)'|([^\s\"'=<>`]++)))?+"
)
_DECLARATION = re.compile(r"<[!?/][^<>]*+>")
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
_PAGE_IDS = {"notebook", "notebook-container", "statusmessage", "toc"}

_COMMAND = re.compile(
    r"\\(?=(?:href|url|style|class|cssId|require|mmlToken|includegraphics|bbox|html[A-Z][a-zA-Z]*)"
    r"(?![a-zA-Z]))([a-zA-Z]+)"
)
"""What lets a formula link, load, or change the page; macros that hide it must name it too."""

_PICTURE = re.compile(r"data:(image/(?:png|jpeg|gif));base64,([A-Za-z0-9+/]*+={0,2}+)")
_MAGIC = {
    "image/png": (b"\x89PNG\r\n\x1a\n",),
    "image/jpeg": (b"\xff\xd8\xff",),
    "image/gif": (b"GIF87a", b"GIF89a"),
}


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


def _is_picture(kind: str, data: str) -> bool:
    """Whether data in base64 begin as a picture of that kind does."""
    if not re.fullmatch(r"[A-Za-z0-9+/]*+={0,2}+", data):
        return False
    try:
        start = base64.b64decode(data[:24])
    except binascii.Error:
        return False
    return start.startswith(_MAGIC.get(kind, ())) and len(data) <= PICTURES_LIMIT


class _Cleaner:
    """Takes everything out of HTML that acts, with one pass over it."""

    def __init__(
        self, pictures: dict[str, str], dropped: Collection[str], taken: Collection[str]
    ) -> None:
        self._pictures = pictures
        """Addresses by the names of attachments."""
        self._dropped = dropped
        self._taken = _PAGE_IDS.union(
            *((name, f"{name}-comment", f"{name}_extra_credit") for name in taken)
        )
        self._verbatim = False
        """Whether text stands in ``pre`` or ``code``; other elements may end these."""
        self._out: list[str] = []
        self._open: list[str] = []
        self.notes: dict[str, None] = {}
        self.changed = False
        """Whether the result is another page than the HTML."""

    def _change(self, note: str = "") -> None:
        self.changed = True
        if note:
            self.notes[note] = None

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
        if "\\" in text or "&" in text:
            plain = decoded(text)
            if not self._verbatim and (commands := _COMMAND.findall(plain)):
                for command in dict.fromkeys(commands):
                    self._change(f"a command for formulas was put out of action: \\{command}")
                # MathJax reads no formula with an element in it.
                parts = _COMMAND.split(plain)
                for i, part in enumerate(parts):
                    part = html.escape(part, quote=False)
                    self._out.append(f"<code>\\{part}</code>" if i % 2 else part)
                return
        self._out.append(text.replace(">", "&gt;"))

    def _markup(self, source: str, start: int) -> int:
        """Deal with what begins with ``<`` there; return where it ends."""
        if source.startswith("<!--", start):
            end = source.find("-->", start + 4)
            inner = source[start + 4 : end] if end >= 0 else source[start + 4 :]
            # Parsers do not agree on the end of any other comment.
            odd = end < 0 or "<" in inner or ">" in inner or inner[-1:] == "-"
            if odd or self._in_command():
                self._change()
            return end + 3 if end >= 0 else len(source)
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
        if name in _WITH_CONTENT:
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
            value = self._attribute(name, key, decoded(values[0]) if values else None)
            if value is _LEFT_OUT or key in kept:
                self._change("" if key == "href" else f"HTML was left out: <{name} {_short(key)}>")
            else:
                kept[key] = value
        if name == "img" and not self._image(kept):
            return
        if name == "input" and not (kept.get("type") == "checkbox" and "disabled" in kept):
            self._change("HTML was left out: <input>")
            return
        if name not in _EMPTY:
            if len(self._open) >= DEPTH:
                self._change("HTML that is nested too deep was made flat")
                return
            self._open.append(name)
        shown = "".join(
            f" {key}" if value is None else f' {key}="{html.escape(value)}"'
            for key, value in kept.items()
        )
        self._out.append(f"<{name}{shown}>")

    def _attribute(self, element: str, name: str, value: str | None) -> str | None:
        """Return the value to keep, None for no value, or `_LEFT_OUT`."""
        if name not in ATTRIBUTES["*"] | ATTRIBUTES.get(element, set()):
            return _LEFT_OUT
        if name in ("open", "checked", "disabled", "reversed"):
            return None
        if value is None:
            return _LEFT_OUT
        if name in ("title", "alt", "src"):  # the source of a picture is seen to with its text
            return value
        if name == "href":
            good = _is_link(value)
            if not good:
                self._change(f"a link was left out: {_short(value)}")
        elif name == "class":
            good = all(c in _CLASSES or _LANGUAGE.fullmatch(c) for c in value.split())
        elif name == "style":
            good = len(value) < 500 and bool(_STYLE.fullmatch(value))
        elif name == "id":
            good = value not in self._taken
        elif name in ("align", "valign", "color", "scope", "type"):
            good = bool(_WORD.fullmatch(value))
        else:
            good = bool(_NUMBER.fullmatch(value))
            if name in ("colspan", "rowspan", "span"):
                good = good and len(value) <= 3
        return value if good else _LEFT_OUT

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
            self._change(f"the {text}")
        else:
            found = _PICTURE.fullmatch(source)
            if found and _is_picture(found[1], found[2]):
                return True
            text = f"picture from elsewhere, not shown: {_short(source)}"
            self._change(f"a picture from elsewhere was left out: {_short(source)}")
        self._out.append(f"[{html.escape(text)}]")
        return False


_LEFT_OUT = "left out"
"""Returned instead of a value; compared by identity."""


def _short(text: str) -> str:
    return printable(text if len(text) <= 80 else f"{text[:79]}…", line=True)


def _is_link(address: str) -> bool:
    """Whether an address waits for a click and then opens a page."""
    # Browsers drop control characters and blanks from the scheme.
    address = re.sub(r"[\x00-\x20\x7f-\xa0]", "", address[:200]).lower()
    return not _SCHEME.match(address) or address.startswith(_LINKS)


def _clean(
    source: str,
    pictures: dict[str, str],
    dropped: Collection[str] = (),
    taken: Collection[str] = (),
) -> tuple[str, list[str]]:
    """Return HTML with nothing in it that acts, and notes on what was taken out.

    Raises:
        Unreadable: it cannot be made so.
    """
    notes: dict[str, None] = {}
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
        source, _ = _clean(source, {})
    except Unreadable:
        source = f"<pre>{html.escape(source)}</pre>"
    return f"<div {NO_MATH}>{source}</div>"


# Outputs ---------------------------------------------------------------------------------------


def _size(characters: int) -> str:
    if characters < 1_000_000:
        return f"{max(1, round(characters / 1000))} kB"
    return f"{characters / 1e6:.1f} MB"


def _string(value: Any) -> str:
    """Return a text of a notebook, which may be a list of lines."""
    if isinstance(value, list):
        value = "".join(part for part in value if isinstance(part, str))
    return value if isinstance(value, str) else ""


_ESCAPE = re.compile(r"\x1b(?:\[[^@-~\n]*+[@-~])?+")


def _cut(text: str, limit: int) -> str:
    """Return a text of at most ``limit`` characters and the note that it was cut."""
    shown = printable(text[: max(limit, 0)])
    if shown.count("\x1b") > ESCAPES:
        shown = _ESCAPE.sub("", shown)
    return shown if len(text) <= limit else shown + CUT


def clean_data(data: Any, limit: int) -> dict[str, str]:
    """Return the parts of an output's data that may be shown, of ``limit`` characters of text."""
    shown: dict[str, str] = {}
    if not isinstance(data, dict):
        return shown
    if "text/plain" in data:
        shown["text/plain"] = _cut(_string(data["text/plain"]), limit)
    if page := _string(data.get("text/html")):
        most = min(limit, HTML_LIMIT)
        if len(page) <= most:
            shown["text/html"] = clean_html(printable(page))
        else:
            note = (
                f"[the HTML of this output ({_size(len(page))}) is larger than {_size(most)} "
                "and is shown as text]"
            )
            shown["text/plain"] = "\n".join(filter(None, [shown.get("text/plain"), note]))
    for kind in ("image/png", "image/jpeg"):
        picture = _string(data.get(kind))
        if len(picture) <= PICTURES_LIMIT and _is_picture(kind, bare := "".join(picture.split())):
            shown[kind] = bare
    return shown


def sanitize_output(output: Any, limit: int) -> NotebookNode:
    """Return an output without anything active in it, and with ``limit`` characters of text.

    It may have any form: a kernel's messages are made by the student's process.
    """
    kind = output.get("output_type")
    if kind == "stream":
        name = "stderr" if output.get("name") == "stderr" else "stdout"
        return new_output("stream", name=name, text=_cut(_string(output.get("text")), limit))
    if kind == "error":
        lines = output.get("traceback")
        lines = [line for line in lines if isinstance(line, str)] if isinstance(lines, list) else []
        left = limit
        kept: list[str] = []
        for line in reversed(lines):  # the end says what went wrong
            if left <= 0:
                break
            kept.insert(0, _cut(line, left))
            left -= len(line)
        name, value = (_cut(_string(output.get(key)), limit) for key in ("ename", "evalue"))
        return new_output("error", ename=name, evalue=value, traceback=kept)
    data = clean_data(output.get("data"), limit)
    if kind != "execute_result":
        return new_output("display_data", data)
    count = output.get("execution_count")
    count = count if isinstance(count, int) and not isinstance(count, bool) else None
    return new_output("execute_result", data, execution_count=count)


# Text cells ------------------------------------------------------------------------------------

_INLINE_PICTURE = re.compile(
    r"(?<=[(<\s])data:(image/(?:png|jpeg|gif));base64,([A-Za-z0-9+/]++={0,2}+)"
)


class _PictureNames(IPythonRenderer):
    """Renders a text with its pictures by name, and diagrams as the code that they are."""

    def image(self, text: str, url: str, title: str | None = None) -> str:
        return str(HTMLRenderer.image(self, text, url, title))

    def block_mermaidjs(self, code: str) -> str:
        return str(HTMLRenderer.block_code(self, code))


def render(source: str, attachments: dict[str, dict[str, str]] | None = None) -> str:
    """Return the HTML that Formgrader and the feedback pages make of a text cell.

    Raises:
        Exception: the renderer fails, for a picture that is not attached say.
    """
    renderer = IPythonRenderer(escape=False, attachments=attachments or {})
    return str(strip_files_prefix(MarkdownWithMath(renderer).render(source)))


def render_names(source: str) -> str:
    """Return the HTML of a text with its pictures by name, whether they are there or not."""
    return str(MarkdownWithMath(_PictureNames(escape=False)).render(source))


def literal(source: str) -> str:
    """Return Markdown that shows a text as it was typed, and is rendered in no time."""
    shown = html.escape(source, quote=False).replace("[", "&#91;").replace("\r", "")
    return f"<pre><code>{shown}</code></pre>"


def clean_markdown(
    source: str,
    attachments: Any = None,
    *,
    budget: Budget | None = None,
    taken: Collection[str] = (),
) -> tuple[str, dict[str, dict[str, str]], list[str]]:
    """Return what may be shown of a text cell.

    An ordinary text stays as it is. One whose page would load, run or link to a script is turned
    into the HTML of that page without these parts, and one that cannot be rendered in time, or not
    at all, is shown as it was typed.

    Args:
        source: Markdown of a student.
        attachments: pictures of the cell, by name and MIME type, of any form.
        budget: limits the time; a fresh one by default.
        taken: ids that the page uses itself, such as grade ids; no heading may have one.

    Returns:
        The Markdown to show, the attachments to keep with it, and a line for each thing that was
        taken out.
    """
    budget = budget or Budget()
    notes: list[str] = []
    inline: dict[str, dict[str, str]] = {}
    text = printable(_INLINE_PICTURE.sub(lambda found: _attach(found, inline), source))
    if len(text) > TEXT_LIMIT:
        notes.append(
            f"a text of {len(text):,} characters was cut after {TEXT_LIMIT:,}, "
            "the most that is shown"
        )
        text = text[:TEXT_LIMIT] + "\n\n… text cut here\n"
    given = {**attachments, **inline} if isinstance(attachments, dict) else inline
    kept, dropped = _attached(text, given)
    pictures = {name: _address(data) for name, data in kept.items()}
    try:
        if budget.spend(lambda text: _is_inert(render(text, kept), taken), text):
            return text, kept, notes
    except TooSlow:
        notes.append("a text takes too long to be formatted and is shown as it was typed")
        return literal(text), {}, notes
    except Exception:  # whatever a renderer fails with costs its result, not the page
        pass
    try:
        page, taken_out = budget.spend(
            lambda text: _clean(render_names(text), pictures, dropped, taken), text
        )
        page = _as_block(page)
        if budget.spend(lambda text: _is_inert(render(text), taken), page):
            notes += _listed(taken_out) or ["the HTML of a text was put in order"]
            return page, {}, notes
    except (TooSlow, Exception):
        pass
    notes.append("a text cannot be formatted safely and is shown as it was typed")
    return literal(text), {}, notes


def _is_inert(page: str, taken: Collection[str]) -> bool:
    cleaner = _Cleaner({}, (), taken)
    cleaner.clean(page)
    return not cleaner.changed


def _as_block(page: str) -> str:
    """Return HTML as one block of Markdown, which ends at a blank line."""
    page = page.replace("\r", "").strip()
    return "<div>\n" + re.sub(r"\n(?=[ \t\v\f]*+(?:\n|$))", "&#10;", page) + "\n</div>"


def _listed(notes: list[str], most: int = 5) -> list[str]:
    more = len(notes) - most
    return notes[:most] + ([f"and {more} more of this kind"] if more > 0 else [])


def _address(attachment: dict[str, str]) -> str:
    [(kind, data)] = attachment.items()
    return f"data:{kind};base64,{data}"


def _attach(found: re.Match[str], inline: dict[str, dict[str, str]]) -> str:
    """Put a picture that stands in the text, as Colab does it, beside the text."""
    name = f"inline-{len(inline) + 1}.{found[1].split('/')[1]}"
    inline[name] = {found[1]: found[2]}
    return f"attachment:{name}"


def _attached(text: str, given: dict[Any, Any]) -> tuple[dict[str, dict[str, str]], set[str]]:
    """Return the pictures that a text shows, and the names of those that cannot be shown."""
    kept: dict[str, dict[str, str]] = {}
    dropped: set[str] = set()
    left = PICTURES_LIMIT
    if "attachment:" not in text:
        return kept, dropped
    for name, attachment in given.items():
        if not isinstance(name, str):
            continue
        for kind, value in attachment.items() if isinstance(attachment, dict) else ():
            data = _string(value) if kind in _MAGIC else ""
            if not data or len(data) > left or not _is_picture(kind, data := "".join(data.split())):
                continue
            left -= len(data)
            kept[name] = {kind: data}
            # nbconvert looks for the name as it stands in an address, JupyterLab for the bare one.
            kept[_quoted(name)] = kept[name]
            break
        else:
            dropped.add(name)
    return kept, dropped


def _quoted(name: str) -> str:
    """Return a name as the renderer has it after reading it as an address."""
    return quote(decoded(name), safe=":/?#@!$&()*+,;=%")
