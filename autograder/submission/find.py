"""Find the notebooks of a lesson among the files that a student handed in."""

from __future__ import annotations

import hashlib
import itertools
import os
import re
import stat
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from nbformat.notebooknode import NotebookNode

from autograder.files import NotReadable, in_words, listing, read_bytes
from autograder.lesson.model import Lesson, Notebook
from autograder.notes import NOTHING, Kind, Note
from autograder.sanitize.text import printable
from autograder.submission import archive
from autograder.submission.read import UnreadableNotebook, read_notebook
from autograder.submission.restore import answers_given, defines_answers, likeness

ALIKE = 0.3
"""Share of a lesson notebook's cells that makes a file under another name that notebook."""

MAX_FILES = 100
"""The most notebook files of one submission that are looked at."""

MAX_BYTES = 100 * 2**20
"""The most that the notebook files of one submission may hold together."""

LEFT_BEHIND = ("._*", "__MACOSX*", ".git", ".ipynb_checkpoints", ".venv")
"""Names that editors and systems leave in a folder; nobody hands them in."""

EXCHANGE_FILES = ("timestamp.txt", "submission_secret.txt")
"""What nbgrader's exchange puts beside the files of a submission."""


_FORMATS = {
    ".pdf": "a PDF, not a notebook",
    ".html": "a web page (HTML), not a notebook",
    ".htm": "a web page (HTML), not a notebook",
    ".py": "a Python program, not a notebook",
    ".docx": "a Word document, not a notebook",
    ".doc": "a Word document, not a notebook",
    ".md": "a text (Markdown), not a notebook",
    ".txt": "a text, not a notebook",
}


@dataclass
class FoundNotebook:
    """What was found of one notebook of the lesson."""

    file: str = ""
    """The file, relative to the submission's folder; empty if there is none."""
    repairs: list[Note] = field(default_factory=list)
    reason: Note = NOTHING
    """Why it cannot be graded; empty if it can be, or if nothing was handed in."""

    @property
    def gradable(self) -> bool:
        """Whether there is a notebook to be graded."""
        return bool(self.file and not self.reason)


def find_notebooks(lesson: Lesson, folder: Path) -> dict[str, FoundNotebook]:
    """Return what a submission's folder holds of each notebook of a lesson, by its name.

    A notebook is recognized by its file name and by its content, the content counting more. Of
    several copies the one with the right name counts, unless another one answers more questions;
    where each answers something that the others do not, none counts.
    """
    readable: dict[Path, tuple[NotebookNode, list[Note]]] = {}
    files, others, unreadable = _sorted_out(lesson, folder)
    left = MAX_BYTES
    for file in files[:MAX_FILES]:
        try:
            size = archive.size(file)
            if size > left:
                raise UnreadableNotebook(
                    Kind.TOO_LARGE, f"its notebooks are larger than {in_words(MAX_BYTES)} together"
                )
            left -= size
            readable[file] = read_notebook(file)
        except UnreadableNotebook as error:
            unreadable[file] = error.note
        except NotReadable as error:
            unreadable[file] = Note(error.kind, str(error))
        except OSError as error:
            unreadable[file] = Note(Kind.UNREADABLE, str(error))
    groups: dict[str, list[Path]] = {}
    for file, (node, _) in readable.items():
        name = _recognize(lesson, file, folder, node)
        if name is not None:
            groups.setdefault(name, []).append(file)
    result = {}
    for notebook in lesson.notebooks:
        files = groups.get(notebook.name, [])
        if files:
            result[notebook.name] = _choose(notebook, folder, {f: readable[f] for f in files})
            continue
        broken = [
            file for file in unreadable if file.name.lower().startswith(notebook.name.lower())
        ]
        found = FoundNotebook()
        if broken:
            found.file, found.reason = _relative(broken[0], folder), unreadable[broken[0]]
        elif (own := folder / f"{notebook.name}.ipynb") in readable:
            found.file = _relative(own, folder)
            found.reason = Note(Kind.ANOTHER_NOTEBOOK, "it holds nothing of this notebook")
        elif alike := [file for file in others if _is_called(file, notebook)]:
            found.file = _relative(alike[0], folder)
            found.reason = _no_notebook(alike[0])
        result[notebook.name] = found
    _note_left(result, folder, others)
    if not any(found.file or found.reason for found in result.values()):
        for found in result.values():
            found.reason = _nothing_usable(folder, unreadable)
    return result


def _relative(file: Path, folder: Path) -> str:
    return str(file.relative_to(folder))


def _name(file: Path, folder: Path) -> str:
    """Return the name of a submitted file for people."""
    return printable(str(file.relative_to(folder)), line=True)


def _nothing_usable(folder: Path, unreadable: dict[Path, Note]) -> Note:
    for file, reason in unreadable.items():
        text = f"no notebook of the lesson was handed in; {_name(file, folder)}: {reason}"
        return Note(Kind.NO_NOTEBOOK, text)
    with os.scandir(folder) as entries:
        names = [entry.name for entry in itertools.islice(entries, MAX_FILES)]
    names = sorted(printable(name[:80], line=True) for name in names if name not in EXCHANGE_FILES)
    held = ", ".join(names[:5]) if names else "nothing"
    text = f"no notebook of the lesson was handed in; the folder holds {held}"
    return Note(Kind.NO_NOTEBOOK, text)


def digest(folder: Path, ignore: Iterable[str], limit: int) -> str:
    """Return a text that changes when a submission's files do.

    Args:
        folder: the submission's folder.
        ignore: patterns of the names that do not count.
        limit: bytes that are read; a file that does not fit counts by its name and size alone.
    """
    total = hashlib.sha256()
    if folder.is_symlink():
        total.update(os.fsencode(os.readlink(folder)))
    found = listing(folder, ignore)
    for path in sorted([*found.files, *found.others]):
        total.update(os.fsencode(path.relative_to(folder)) + b"\0")
        try:
            status = path.lstat()
            total.update(f"{stat.S_IFMT(status.st_mode)} {status.st_size}\0".encode())
            if stat.S_ISREG(status.st_mode) and status.st_size < limit:
                total.update(read_bytes(path, limit))
                limit -= status.st_size
        except OSError as error:
            total.update(f"{error.errno}".encode())
        except NotReadable as error:
            total.update(str(error).encode())
    return total.hexdigest()


def _sorted_out(lesson: Lesson, folder: Path) -> tuple[list[Path], list[Path], dict[Path, Note]]:
    """Return the files that may be notebooks, the others, and the archives that cannot be opened.

    Those with the right names come first, then by depth. What is in an archive lies below it.
    """
    right = {f"{notebook.name}.ipynb".lower() for notebook in lesson.notebooks}
    files: list[Path] = []
    others: list[Path] = []
    unreadable: dict[Path, Note] = {}
    found = listing(folder, LEFT_BEHIND).files
    for path in list(found):
        if archive.is_archive(path):
            try:
                found += archive.files_in(path)
            except NotReadable as error:
                unreadable[path] = Note(error.kind, str(error))
    for path in found:
        name, above = path.name.lower(), path.relative_to(folder).parts[:-1]
        if any(part.startswith((".", "__MACOSX")) for part in above) or name.startswith("._"):
            continue
        (files if ".ipynb" in name or name.endswith(".json") else others).append(path)

    def rank(path: Path) -> tuple[bool, int, str]:
        return path.name.lower() not in right, len(path.parts), path.name

    return sorted(files, key=rank), sorted(others, key=rank), unreadable


def _is_called(file: Path, notebook: Notebook) -> bool:
    """Return whether a file that is no notebook has a notebook's name, whatever follows it."""
    name = rf"{re.escape(notebook.name)}(?![0-9A-Za-z_])"
    return re.match(name, file.name, re.IGNORECASE) is not None


def _no_notebook(file: Path) -> Note:
    kind = _FORMATS.get(file.suffix.lower(), "not a notebook")
    return Note(Kind.NO_NOTEBOOK, f"the file is {kind}; hand in the notebook itself, a file .ipynb")


def _note_left(result: dict[str, FoundNotebook], folder: Path, others: list[Path]) -> None:
    """Note of notebooks from an archive which other files of it are left out."""
    for found in result.values():
        above = {folder / parent for parent in Path(found.file).parents}
        tops = {parent for parent in above if archive.is_archive(parent)}
        names = [_name(file, folder) for file in others if tops & set(file.parents)]
        if names:
            more = f" and {len(names) - 5} more" if len(names) > 5 else ""
            text = f"other files of the archive were left out: {', '.join(names[:5])}{more}"
            found.repairs.append(Note(Kind.FILES_LEFT, text))


def _recognize(lesson: Lesson, file: Path, folder: Path, node: NotebookNode) -> str | None:
    shares = {notebook.name: likeness(notebook, node) for notebook in lesson.notebooks}
    best = max(shares, key=lambda name: shares[name])
    own = file.stem.lower()
    for name, share in shares.items():
        if own != name.lower() or (share < shares[best] and share < ALIKE):
            continue
        if share > 0 or defines_answers(lesson.notebook(name), node):
            return name
    return best if shares[best] >= ALIKE else None


def _choose(
    notebook: Notebook, folder: Path, files: dict[Path, tuple[NotebookNode, list[Note]]]
) -> FoundNotebook:
    right = folder / f"{notebook.name}.ipynb"
    order = sorted(files, key=lambda file: (file != right, len(file.parts), file.name))
    chosen = order[0]
    repairs: list[Note] = []
    if len(order) > 1:
        answers = {file: answers_given(notebook, files[file][0]) for file in order}
        fullest = _fullest(order, answers)
        if right in fullest:
            chosen = right
        elif len({tuple(sorted(answers[file].items())) for file in fullest}) == 1:
            chosen = fullest[0]
        else:
            filled = [file for file in order if answers[file]]
            names = " and ".join(_name(file, folder) for file in filled[:3])
            return FoundNotebook(
                _relative(filled[0], folder),
                reason=Note(
                    Kind.DIFFERENT_ANSWERS, f"{names} hold different answers; hand in one of them"
                ),
            )
        others = [_name(file, folder) for file in order if file != chosen]
        more = f" and {len(others) - 5} more" if len(others) > 5 else ""
        text = f"further copies were not graded: {', '.join(others[:5])}{more}"
        repairs.append(Note(Kind.FURTHER_COPIES, text))
    if chosen != right:
        text = f"the file {_name(chosen, folder)} was recognized as {notebook.name}.ipynb"
        repairs.append(Note(Kind.RENAMED, text))
    return FoundNotebook(_relative(chosen, folder), files[chosen][1] + repairs)


def _fullest(order: list[Path], answers: dict[Path, dict[str, str]]) -> list[Path]:
    """Return the copies of a notebook that answer all that any of them does; maybe none does."""
    every = set().union(*answers.values())
    return [file for file in order if set(answers[file]) == every]
