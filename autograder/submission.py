"""Find the notebooks of a lesson among the files that a student handed in."""

from __future__ import annotations

import fnmatch
import hashlib
import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from nbformat.notebooknode import NotebookNode

from autograder.lesson import Lesson, Notebook
from autograder.reading import UnreadableNotebook, read_notebook
from autograder.restore import answers_given, defines_answers, likeness

ALIKE = 0.3
"""Share of a lesson notebook's cells that makes a file under another name that notebook."""

MAX_FILES = 200
"""The most notebook files of one submission that are looked at."""

EXCHANGE_FILES = ("timestamp.txt", "submission_secret.txt")
"""What nbgrader's exchange puts beside the files of a submission."""


@dataclass
class Found:
    """What was found of one notebook of the lesson."""

    node: NotebookNode | None = None
    """The submitted notebook; None if there is none that can be graded."""
    file: Path | None = None
    repairs: list[str] = field(default_factory=list)
    reason: str = ""
    """Why it cannot be graded; empty if nothing was submitted."""


def find_notebooks(lesson: Lesson, folder: Path) -> dict[str, Found]:
    """Return what a submission's folder holds of each notebook of a lesson, by its name.

    A notebook is recognized by its file name and by its content, the content counting more. Of
    several copies the one with the right name counts, unless only another one holds answers.
    """
    readable: dict[Path, tuple[NotebookNode, list[str]]] = {}
    unreadable: dict[Path, str] = {}
    names = {f"{notebook.name}.ipynb".lower() for notebook in lesson.notebooks}
    files = _notebook_files(folder)
    files.sort(key=lambda file: file.name.lower() not in names)  # stable: the right names first
    for file in files[:MAX_FILES]:
        try:
            readable[file] = read_notebook(file)
        except UnreadableNotebook as error:
            unreadable[file] = str(error)
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
        found = Found()
        if broken:
            found.file, found.reason = broken[0], unreadable[broken[0]]
        elif (own := folder / f"{notebook.name}.ipynb") in readable:
            found.file, found.reason = own, "it holds nothing of this notebook"
        result[notebook.name] = found
    if not any(found.node or found.reason for found in result.values()):
        for found in result.values():
            found.reason = _nothing_usable(folder, unreadable)
    return result


def _nothing_usable(folder: Path, unreadable: dict[Path, str]) -> str:
    for file, reason in unreadable.items():
        return f"no notebook of the lesson was handed in; {file.name}: {reason}"
    names = sorted(path.name for path in folder.iterdir() if path.name not in EXCHANGE_FILES)
    held = ", ".join(names[:5]) if names else "nothing"
    return f"no notebook of the lesson was handed in; the folder holds {held}"


def files_in(folder: Path, ignore: Iterable[str]) -> Iterator[Path]:
    """Yield what lies in and below ``folder`` but folders, sorted by parent, then by name.

    Args:
        folder: the folder; nothing is yielded if there is none.
        ignore: patterns of the names to leave out, of files and of folders with all they hold.
    """

    def kept(names: list[str]) -> list[str]:
        return sorted(
            name for name in names if not any(fnmatch.fnmatch(name, each) for each in ignore)
        )

    for parent, folders, names in os.walk(folder):
        folders[:] = kept(folders)
        for name in kept(names):
            yield Path(parent) / name


def digest(folder: Path, ignore: Iterable[str], limit: int) -> str:
    """Return a text that changes when a submission's files do.

    Args:
        folder: the submission's folder.
        ignore: patterns of the names that do not count.
        limit: size in bytes from which on a file counts by its name and size alone.
    """
    total = hashlib.sha256()
    for path in files_in(folder, ignore):
        total.update(f"{path.relative_to(folder)}\0".encode(errors="surrogateescape"))
        try:
            status = path.lstat()
            total.update(f"{stat.S_IFMT(status.st_mode)} {status.st_size}\0".encode())
            if stat.S_ISREG(status.st_mode) and status.st_size < limit:
                total.update(path.read_bytes())
        except OSError as error:
            total.update(f"{error.errno}".encode())
    return total.hexdigest()


def _notebook_files(folder: Path) -> list[Path]:
    """Return the files that may be notebooks, those nearest the top first; links are left out."""
    found: list[Path] = []
    for parent, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith((".", "__MACOSX")))
        for name in sorted(names):
            path = Path(parent) / name
            if name.startswith("._") or path.is_symlink() or not path.is_file():
                continue
            if ".ipynb" in name.lower() or name.lower().endswith(".json"):
                found.append(path)
        if len(found) >= 100 * MAX_FILES:
            break
    return sorted(found, key=lambda path: (len(path.parts), path.name))


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
    notebook: Notebook, folder: Path, files: dict[Path, tuple[NotebookNode, list[str]]]
) -> Found:
    right = folder / f"{notebook.name}.ipynb"
    order = sorted(files, key=lambda file: (file != right, len(file.parts), file.name))
    chosen = order[0]
    repairs = []
    if len(order) > 1:
        answers = {file: answers_given(notebook, files[file][0]) for file in order}
        filled = [file for file in order if answers[file]]
        different = {tuple(sorted(answers[file].items())) for file in filled}
        if right in files and (answers[right] or not filled):
            chosen = right
        elif len(different) > 1:
            names = " and ".join(str(file.relative_to(folder)) for file in filled[:3])
            return Found(
                file=filled[0], reason=f"{names} hold different answers; hand in one of them"
            )
        elif filled:
            chosen = filled[0]
        others = ", ".join(str(f.relative_to(folder)) for f in order if f != chosen)
        repairs.append(f"further copies were not graded: {others}")
    if chosen != right:
        repairs.append(
            f"the file {chosen.relative_to(folder)} was recognized as {notebook.name}.ipynb"
        )
    node, reading = files[chosen]
    return Found(node=node, file=chosen, repairs=reading + repairs)
