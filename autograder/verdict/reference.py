"""Reference evidence: what a lesson's own solution does in every hidden case (grading process).

The evidence is kept in the course's ``.autograder`` folder under a hash of all that it depends on,
so that grading a class executes no solution twice and a changed lesson is never judged by an old
reference. `autograder.pipeline.prepare` puts it there; here it is read.
"""

from __future__ import annotations

import hashlib
import json
import platform
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

import autograder
from autograder.errors import CourseError
from autograder.evidence import EvidenceError
from autograder.files import write_whole
from autograder.lesson import hidden
from autograder.lesson.model import Notebook
from autograder.verdict.outcome import Reference, read_reference

CACHE = Path(".autograder") / "reference"
"""Where reference evidence is kept, below the course's root."""

References = Mapping[str, tuple[Reference, ...]]
"""The references of a notebook's probes, by the identifier of the graded cell."""

_memory: dict[tuple[Path, str], References] = {}


def references(notebook: Notebook, root: Path) -> References:
    """Return the references of all probes in ``notebook``, which have been made.

    Args:
        notebook: the lesson's notebook.
        root: the course's root folder, which holds the cache.

    Raises:
        CourseError: they have not been made, or a hidden block is not usable.
    """
    found = cached(notebook, root)
    if found is None:
        raise CourseError(
            f"There is no reference for {notebook.name}; grading makes it at its start. Start it "
            "again."
        )
    return found


def cached(notebook: Notebook, root: Path) -> References | None:
    """Return the references of a notebook, or None if its solution has to be run for them."""
    key = _key(notebook)
    if (root, key) not in _memory:
        try:
            evidence = json.loads(_file(notebook, root).read_text())
            _memory[root, key] = _read(notebook, evidence)
        except (OSError, ValueError, AttributeError):  # EvidenceError is a ValueError
            return None
    return _memory[root, key]


def keep(notebook: Notebook, root: Path, evidence: Mapping[str, Any]) -> References:
    """Keep the evidence of a notebook's solution, and return the references in it."""
    found = _read(notebook, evidence)
    write_whole(_file(notebook, root), json.dumps(evidence))  # several graders may do so at a time
    _memory[root, _key(notebook)] = found
    return found


def _file(notebook: Notebook, root: Path) -> Path:
    return root / CACHE / f"{notebook.name}-{_key(notebook)}.json"


def _key(notebook: Notebook) -> str:
    engine = "".join(
        (Path(autograder.__file__).parent / name).read_text()
        for name in ("kernel/probe.py", "evidence.py")
    )
    parts = (notebook.fingerprint, engine, np.__version__, sys.version, platform.platform())
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]


def _read(notebook: Notebook, evidence: Mapping[str, Any]) -> References:
    found = {}
    for question in notebook.questions:
        if question.by_hand:
            continue
        where = f"{question.grade_id} in {notebook.name}"
        block = hidden.split(notebook.cell(question.grade_id).source)[0]
        probes = hidden.load_probes(block, where, notebook.salt)
        recorded = evidence.get(question.grade_id)
        if not isinstance(recorded, list) or len(recorded) != len(probes):
            raise EvidenceError(f"no reference evidence for {where}")
        found[question.grade_id] = tuple(
            read_reference(probe, one) for probe, one in zip(probes, recorded, strict=True)
        )
    return found
