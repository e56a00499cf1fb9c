"""Keep text cells as they are, or reduce them to what may be shown of them (bounded process)."""

from __future__ import annotations

import html
import re
from collections.abc import Collection
from typing import Any
from urllib.parse import quote

from nbconvert.filters import strip_files_prefix
from nbconvert.filters.markdown_mistune import HTMLRenderer, IPythonRenderer, MarkdownWithMath

from autograder.notes import Kind, Note, kind_of
from autograder.sanitize.budget import Budget, TooSlow
from autograder.sanitize.html import clean_with_notes, decoded, is_inert
from autograder.sanitize.pictures import PICTURES_LIMIT, read_picture
from autograder.sanitize.text import printable

TEXT_LIMIT = 100_000
"""Characters of a text cell that are shown."""

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
) -> tuple[str, dict[str, dict[str, str]], list[Note]]:
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
    notes: list[Note] = []
    inline: dict[str, dict[str, str]] = {}
    text = printable(_INLINE_PICTURE.sub(lambda found: _attach(found, inline), source))
    if len(text) > TEXT_LIMIT:
        note = f"a text of {len(text):,} characters was cut after {TEXT_LIMIT:,}, "
        notes.append(Note(Kind.TEXT, f"{note}the most that is shown"))
        text = text[:TEXT_LIMIT] + "\n\n… text cut here\n"
    given = {**attachments, **inline} if isinstance(attachments, dict) else inline
    kept, dropped = _attached(text, given)
    pictures = {name: _address(data) for name, data in kept.items()}
    try:
        if budget.spend(lambda text: is_inert(render(text, kept), taken), text):
            return text, kept, notes
    except TooSlow:
        notes.append(
            Note(Kind.TEXT, "a text takes too long to be formatted and is shown as it was typed")
        )
        return literal(text), {}, notes
    except Exception:  # whatever a renderer fails with costs its result, not the page
        pass
    try:
        page, taken_out = budget.spend(
            lambda text: clean_with_notes(render_names(text), pictures, dropped, taken), text
        )
        page = _as_block(page)
        if budget.spend(lambda text: is_inert(render(text), taken), page):
            notes += _listed(taken_out) or [
                Note(Kind.ACTIVE, "the HTML of a text was put in order")
            ]
            return page, {}, notes
    except (TooSlow, Exception):
        pass
    notes.append(Note(Kind.TEXT, "a text cannot be formatted safely and is shown as it was typed"))
    return literal(text), {}, notes


def _as_block(page: str) -> str:
    """Return HTML as one block of Markdown, which ends at a blank line."""
    page = page.replace("\r", "").strip()
    return "<div>\n" + re.sub(r"\n(?=[ \t\v\f]*+(?:\n|$))", "&#10;", page) + "\n</div>"


def _listed(notes: list[Note], most: int = 5) -> list[Note]:
    more = len(notes) - most
    return notes[:most] + (
        [Note(kind_of(notes[most]), f"and {more} more of this kind")] if more > 0 else []
    )


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
            data = read_picture(kind, value, left)
            if not data:
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
