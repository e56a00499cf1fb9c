"""Read a notebook file as editors, tools and mail programs leave it."""

from __future__ import annotations

import codecs
import json
import re
from pathlib import Path
from typing import Any

import nbformat
from nbformat.notebooknode import NotebookNode, from_dict

MAX_FILE_BYTES = 50 * 2**20
"""The largest notebook file that is read."""

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig", "a byte-order mark"),
    (codecs.BOM_UTF32_LE, "utf-32", "UTF-32 encoding"),
    (codecs.BOM_UTF32_BE, "utf-32", "UTF-32 encoding"),
    (codecs.BOM_UTF16_LE, "utf-16", "UTF-16 encoding"),
    (codecs.BOM_UTF16_BE, "utf-16", "UTF-16 encoding"),
)


class UnreadableNotebook(Exception):
    """A file that is not a notebook; the message says what it is instead."""


def read_notebook(path: Path) -> tuple[NotebookNode, list[str]]:
    """Return the notebook in a file as nbformat 4, and what had to be repaired to read it.

    Repaired: byte-order marks, UTF-16 and Latin-1 encodings, Windows and old Mac line ends, older
    notebook formats, newer minor versions, cells without the required fields.

    Raises:
        UnreadableNotebook: the file holds no notebook.
    """
    if not path.is_file():
        raise UnreadableNotebook("it is not a file")
    try:
        if path.stat().st_size > MAX_FILE_BYTES:
            raise UnreadableNotebook(f"the file is larger than {MAX_FILE_BYTES // 2**20} MiB")
        raw = path.read_bytes()
    except OSError as error:
        raise UnreadableNotebook(f"the file cannot be opened ({error.strerror})") from error
    text, repairs = _decode(raw)
    content = _parse(text)
    return _to_version_4(content, repairs), repairs


def _decode(raw: bytes) -> tuple[str, list[str]]:
    for bom, encoding, name in _BOMS:
        if raw.startswith(bom):
            try:
                return raw.decode(encoding), [f"{name} was removed"]
            except UnicodeDecodeError:
                raise UnreadableNotebook(f"its {name} is broken") from None
    if not raw.strip(b"\0 \t\r\n"):
        raise UnreadableNotebook("the file is empty")
    if raw[1:2] == b"\0" or raw[:1] == b"\0":
        encoding = "utf-16-le" if raw[1:2] == b"\0" else "utf-16-be"
        try:
            return raw.decode(encoding), ["UTF-16 encoding was read"]
        except UnicodeDecodeError:
            pass
    try:
        return raw.decode("utf-8"), []
    except UnicodeDecodeError:
        return raw.decode("cp1252", "replace"), [
            "the file was not UTF-8 and was read as Windows-1252"
        ]


def _parse(text: str) -> dict[str, Any]:
    start = text.lstrip()[:200].lower()
    if start.startswith(("<!doctype", "<html", "<?xml")):
        raise UnreadableNotebook("the file is a web page (HTML), not a notebook")
    if re.search(r"^(<<<<<<<|>>>>>>>) ", text, re.MULTILINE):
        raise UnreadableNotebook("the file contains merge conflict markers (<<<<<<<)")
    try:
        content = json.loads(text)
    except RecursionError:
        raise UnreadableNotebook("the file is nested too deeply to be a notebook") from None
    except ValueError as error:
        raise UnreadableNotebook(f"the file is not JSON ({str(error)[:100]})") from None
    if not isinstance(content, dict):
        raise UnreadableNotebook("the file is JSON, but not a notebook")
    if not isinstance(content.get("cells"), list) and not isinstance(
        content.get("worksheets"), list
    ):
        raise UnreadableNotebook("the file is JSON, but has no list of cells")
    return content


def _to_version_4(content: dict[str, Any], repairs: list[str]) -> NotebookNode:
    major, minor = content.get("nbformat"), content.get("nbformat_minor")
    if isinstance(content.get("worksheets"), list):
        repairs.append(f"notebook format {major} was converted to format 4")
        try:
            converted = nbformat.convert(from_dict({**content, "nbformat": 3}), 4)
        except Exception:
            raise UnreadableNotebook("its old notebook format cannot be converted") from None
        content = dict(converted)
    elif major != 4 or not isinstance(minor, int) or minor > nbformat.v4.nbformat_minor:
        repairs.append(f"notebook format {f'{major}.{minor}'[:20]} was read as format 4")
    cells = [cell for item in content["cells"] if (cell := _cell(item)) is not None]
    if len(cells) != len(content["cells"]):
        repairs.append("cells that hold no text were dropped")
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
        raise UnreadableNotebook("the file is nested too deeply to be a notebook") from None


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
    source = source.encode("utf-8", "replace").decode("utf-8")  # lone surrogates
    kind = item.get("cell_type")
    metadata = item.get("metadata")
    identifier = item.get("id")
    return {
        "cell_type": kind if kind in ("code", "markdown", "raw") else "markdown",
        "source": source,
        "metadata": metadata if isinstance(metadata, dict) else {},
        "id": identifier if isinstance(identifier, str) else "",
    }
