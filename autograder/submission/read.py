"""Read a notebook file as editors, tools and mail programs leave it."""

from __future__ import annotations

import codecs
import json
import re
from pathlib import Path
from typing import Any

import nbformat
from nbformat.notebooknode import NotebookNode, from_dict

from autograder.errors import NotGradable
from autograder.files import NotReadable
from autograder.notes import Kind, Note
from autograder.sanitize.text import printable
from autograder.submission import archive

MAX_FILE_BYTES = 50 * 2**20
"""The largest notebook file that is read."""

MAX_CELLS = 2_000
"""The most cells that a notebook may have."""

MAX_CODE = 1_000_000
"""The most characters that the code cells of a notebook may hold together."""

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig", "a byte-order mark"),
    (codecs.BOM_UTF32_LE, "utf-32", "UTF-32 encoding"),
    (codecs.BOM_UTF32_BE, "utf-32", "UTF-32 encoding"),
    (codecs.BOM_UTF16_LE, "utf-16", "UTF-16 encoding"),
    (codecs.BOM_UTF16_BE, "utf-16", "UTF-16 encoding"),
)


class UnreadableNotebook(NotGradable):
    """A file that is not a notebook; the message says what it is instead."""


def read_notebook(path: Path) -> tuple[NotebookNode, list[Note]]:
    """Return the notebook in a file as nbformat 4, and what had to be repaired to read it.

    Repaired: byte-order marks, UTF-16 and Latin-1 encodings, Windows and old Mac line ends, older
    notebook formats, newer minor versions, cells without the required fields. Outputs are left out.

    Raises:
        UnreadableNotebook: the file holds no notebook, or one beyond the limits of this module.
    """
    try:
        text, repairs = _decode(archive.read(path, MAX_FILE_BYTES))
        return _to_version_4(_parse(text), repairs), repairs
    except NotReadable as error:
        raise UnreadableNotebook(error.kind, str(error)) from error
    except MemoryError:
        raise UnreadableNotebook(
            Kind.TOO_MUCH, "reading it takes more memory than a notebook may"
        ) from None


def _decode(raw: bytes) -> tuple[str, list[Note]]:
    for bom, encoding, name in _BOMS:
        if raw.startswith(bom):
            try:
                return raw.decode(encoding), [Note(Kind.ENCODING, f"{name} was removed")]
            except UnicodeDecodeError:
                raise UnreadableNotebook(Kind.BROKEN, f"its {name} is broken") from None
    if not raw.strip(b"\0 \t\r\n"):
        raise UnreadableNotebook(Kind.EMPTY, "the file is empty")
    if raw[1:2] == b"\0" or raw[:1] == b"\0":
        encoding = "utf-16-le" if raw[1:2] == b"\0" else "utf-16-be"
        try:
            return raw.decode(encoding), [Note(Kind.ENCODING, "UTF-16 encoding was read")]
        except UnicodeDecodeError:
            pass
    try:
        return raw.decode("utf-8"), []
    except UnicodeDecodeError:
        return raw.decode("cp1252", "replace"), [
            Note(Kind.ENCODING, "the file was not UTF-8 and was read as Windows-1252")
        ]


def _parse(text: str) -> dict[str, Any]:
    start = text.lstrip()[:200].lower()
    if start.startswith(("<!doctype", "<html", "<?xml")):
        raise UnreadableNotebook(Kind.WEB_PAGE, "the file is a web page (HTML), not a notebook")
    if re.search(r"^(<<<<<<<|>>>>>>>) ", text, re.MULTILINE):
        raise UnreadableNotebook(
            Kind.CONFLICT, "the file contains merge conflict markers (<<<<<<<)"
        )
    try:
        content = json.loads(text)
    except RecursionError:
        raise UnreadableNotebook(
            Kind.BROKEN, "the file is nested too deeply to be a notebook"
        ) from None
    except ValueError as error:
        raise UnreadableNotebook(
            Kind.BROKEN, f"the file is not JSON ({str(error)[:100]})"
        ) from None
    if not isinstance(content, dict):
        raise UnreadableNotebook(Kind.BROKEN, "the file is JSON, but not a notebook")
    if not isinstance(content.get("cells"), list) and not isinstance(
        content.get("worksheets"), list
    ):
        raise UnreadableNotebook(Kind.BROKEN, "the file is JSON, but has no list of cells")
    return content


def _to_version_4(content: dict[str, Any], repairs: list[Note]) -> NotebookNode:
    major, minor = content.get("nbformat"), content.get("nbformat_minor")
    if isinstance(content.get("worksheets"), list):
        repairs.append(Note(Kind.FORMAT, f"notebook format {major} was converted to format 4"))
        content = _converted(content)
    elif major != 4 or not isinstance(minor, int) or minor > nbformat.v4.nbformat_minor:
        shown = printable(f"{major}.{minor}"[:20], line=True)
        repairs.append(Note(Kind.FORMAT, f"notebook format {shown} was read as format 4"))
    _require_few(len(content["cells"]))
    cells = [cell for item in content["cells"] if (cell := _cell(item)) is not None]
    if len(cells) != len(content["cells"]):
        repairs.append(Note(Kind.DROPPED, "cells that hold no text were dropped"))
    code = sum(len(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    if code > MAX_CODE:
        raise UnreadableNotebook(
            Kind.TOO_MUCH, f"its code cells hold {code} characters; at most {MAX_CODE} are read"
        )
    metadata = content.get("metadata")
    whole = {
        "cells": cells,
        "metadata": metadata if isinstance(metadata, dict) else {},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    try:
        return from_dict(whole)
    except RecursionError:
        raise UnreadableNotebook(
            Kind.BROKEN, "the file is nested too deeply to be a notebook"
        ) from None


def _require_few(cells: int) -> None:
    if cells > MAX_CELLS:
        raise UnreadableNotebook(
            Kind.TOO_MUCH, f"it has {cells} cells; at most {MAX_CELLS} are read"
        )


def _converted(content: dict[str, Any]) -> dict[str, Any]:
    """Return a notebook of format 3, without outputs, as format 4."""
    sheets = [sheet for sheet in content["worksheets"] if isinstance(sheet, dict)]
    cells = [
        cell for sheet in sheets if isinstance(sheet.get("cells"), list) for cell in sheet["cells"]
    ]
    _require_few(len(cells))
    cells = [{**cell, "outputs": []} if isinstance(cell, dict) else cell for cell in cells]
    sheet = {"cells": cells, "metadata": {}}
    try:
        whole = {**content, "worksheets": [sheet], "nbformat": 3}
        return dict(nbformat.convert(from_dict(whole), 4))
    except Exception:
        raise UnreadableNotebook(
            Kind.BROKEN, "its old notebook format cannot be converted"
        ) from None


def _cell(item: Any) -> dict[str, Any] | None:
    """Return a cell with the fields that are used later, whatever else the file says."""
    if not isinstance(item, dict):
        return None
    source = item.get("source", "")
    if isinstance(source, list) and all(isinstance(line, str) for line in source):
        source = "".join(source)
    if not isinstance(source, str):
        return None
    source = source.replace("\r\n", "\n").replace("\r", "\n")
    source = printable(source)
    kind = item.get("cell_type")
    metadata = item.get("metadata")
    identifier, attachments = item.get("id"), item.get("attachments")
    return {
        "cell_type": kind if kind in ("code", "markdown", "raw") else "markdown",
        "source": source,
        "metadata": metadata if isinstance(metadata, dict) else {},
        "id": identifier if isinstance(identifier, str) else "",
        **({"attachments": attachments} if isinstance(attachments, dict) and attachments else {}),
    }
