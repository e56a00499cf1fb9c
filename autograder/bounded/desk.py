"""Where submissions are read, rebuilt, cleaned and judged: a process with limits of its own.

The grading process passes on what students handed in and what their kernels sent, unopened, and
gets back notebooks, outputs and verdicts. See `autograder.bounded.worker` for the limits and for
how the process is made; it runs this package's and the author's code, never a student's.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import nbformat
from nbformat.notebooknode import NotebookNode
from traitlets import Float, Int
from traitlets.config import Config, LoggingConfigurable

import autograder.imports  # noqa: F401  before what it keeps out
from autograder.bounded.worker import BeyondLimitsError, Function, Worker, serve_as_program
from autograder.errors import NotGradable
from autograder.execution import outputs
from autograder.execution.clock import Clock
from autograder.execution.runs import CellRun, End
from autograder.lesson import model as lessons
from autograder.lesson.model import Lesson, Notebook, Question
from autograder.notes import Kind, kind_of, packed, unpacked
from autograder.submission.find import FoundNotebook, find_notebooks
from autograder.submission.read import read_notebook
from autograder.submission.restore import Restored, restore
from autograder.verdict.reference import references
from autograder.verdict.score import Judged, judge_cell, not_judged

LAST_SECONDS, LEAST_SECONDS = 1.5, 0.3
"""What all calls together, and each, may take although the notebook's time is up."""


class Desk(LoggingConfigurable):
    """Reads, rebuilds, cleans and judges the submissions to one lesson, within limits.

    Use it as a context manager, or call `close`.
    """

    seconds = Float(
        10,
        help="Processor seconds to read a submission, rebuild a notebook or judge a question.",
    ).tag(config=True)

    memory_bytes = Int(
        400 * 2**20, help="Memory for the same, beyond what the program itself takes."
    ).tag(config=True)

    def __init__(self, lesson: Lesson, root: Path, options: Config, **kwargs: Any) -> None:
        """Prepare a desk; its process is started when it is first needed.

        Args:
            lesson: the lesson, with references that have been made.
            root: the course's folder.
            options: the course's options.
            kwargs: as for every configurable.
        """
        super().__init__(**kwargs)
        setup = {
            "lesson": str(lesson.path),
            "root": str(root),
            "stubs": dict(options.get("ClearSolutions", {})),
        }
        self._lesson = lesson
        self._worker = Worker(
            functools.partial(_functions, lesson, root),
            [sys.executable, "-P", "-m", "autograder.bounded.desk"],
            setup,
            self.memory_bytes,
        )

    def __enter__(self) -> Desk:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the process; it is started again when it is needed."""
        self._worker.close()

    def find(self, folder: Path, clock: Clock) -> dict[str, FoundNotebook]:
        """Return which files of a submission's folder are the lesson's notebooks, by their names.

        Raises:
            NotGradable: looking through it takes too much time or memory.
        """
        try:
            found = self._worker.call("find", self._limit(clock), folder=str(folder))
        except BeyondLimitsError as error:
            raise NotGradable(
                Kind.TOO_MUCH, f"the submission is too large or too odd to be read: {error}"
            ) from error
        return {
            name: FoundNotebook(one["file"], unpacked(one["repairs"]), *unpacked(one["reason"]))
            for name, one in found.items()
        }

    def restore(self, notebook: Notebook, file: Path, clock: Clock) -> Restored:
        """Return the lesson's notebook with what the student put into it.

        Raises:
            NotGradable: it cannot be told what belongs where, or only with too much time or memory.
        """
        try:
            made = self._worker.call(
                "restore", self._limit(clock), notebook=notebook.name, file=str(file)
            )
        except BeyondLimitsError as error:
            raise NotGradable(
                Kind.TOO_MUCH, f"the notebook is too large or too odd to be read: {error}"
            ) from error
        if "reason" in made:
            [reason] = unpacked(made["reason"])
            raise NotGradable(kind_of(reason), reason)
        unclear = {name: unpacked([pair])[0] for name, pair in made["unclear"].items()}
        node = nbformat.from_dict(made["node"])
        return Restored(node, unpacked(made["repairs"]), set(made["blank"]), unclear)

    def show(
        self, runs: Mapping[int, CellRun], limit: int, clock: Clock
    ) -> dict[int, list[NotebookNode]]:
        """Return what is shown of the outputs of cells.

        Args:
            runs: what the cells gave, by number.
            limit: bytes of text of one cell that are shown.
            clock: the notebook's time.
        """
        given = {str(number): _as_json(run, evidence=False) for number, run in runs.items()}
        try:
            shown = self._worker.call("show", self._limit(clock), runs=given, limit=limit)
        except BeyondLimitsError as error:
            note = f"The outputs of this notebook cannot be shown: {error}."
            return {number: [outputs.note(note)] for number in runs}
        return {
            int(number): [nbformat.from_dict(one) for one in some] for number, some in shown.items()
        }

    def judge(
        self, question: Question, run: CellRun, answer: CellRun | None, clock: Clock
    ) -> tuple[Judged, list[NotebookNode]]:
        """Return the judgement of a question and the outputs to show in its check cell."""
        try:
            points, problems, mistake, shown = self._worker.call(
                "judge",
                self._limit(clock),
                notebook=question.notebook,
                grade_id=question.grade_id,
                run=_as_json(run, evidence=True),
                answer=_as_json(replace(answer, evidence=[]), evidence=True) if answer else None,
            )
        except BeyondLimitsError as error:
            return not_judged(question, f"comparing what this check recorded was stopped: {error}")
        judged = Judged(question, points, tuple(problems), mistake)
        return judged, [nbformat.from_dict(one) for one in shown]

    def _limit(self, clock: Clock) -> float:
        return max(LEAST_SECONDS, min(self.seconds, clock.left + LAST_SECONDS))


def _as_json(run: CellRun, *, evidence: bool) -> dict[str, Any]:
    errors = [output for output in run.outputs if output.output_type == "error"]
    return {
        "end": run.end.value,
        "reason": run.reason,
        "outputs": errors[:1] if evidence else run.outputs,
        "evidence": run.evidence if evidence else [],
    }


# In the process ---------------------------------------------------------------------------------


def _functions(lesson: Lesson, root: Path) -> Mapping[str, Function]:
    def find(folder: str) -> dict[str, Any]:
        return {
            name: {
                "file": found.file,
                "repairs": packed(found.repairs),
                "reason": packed([found.reason]),
            }
            for name, found in find_notebooks(lesson, Path(folder)).items()
        }

    def rebuild(notebook: str, file: str) -> dict[str, Any]:
        try:
            made = restore(lesson.notebook(notebook), read_notebook(Path(file))[0])
        except NotGradable as error:
            return {"reason": packed([error.note])}
        return {
            "node": made.node,
            "repairs": packed(made.repairs),
            "blank": sorted(made.blank),
            "unclear": {name: packed([note])[0] for name, note in made.unclear.items()},
        }

    def show(runs: dict[str, Any], limit: int) -> dict[str, Any]:
        return {number: outputs.shown(_from_json(run), limit) for number, run in runs.items()}

    def judge(
        notebook: str, grade_id: str, run: dict[str, Any], answer: dict[str, Any] | None
    ) -> list[Any]:
        found = lesson.notebook(notebook)
        question = next(one for one in found.questions if one.grade_id == grade_id)
        known = references(found, root)[grade_id]
        judged, shown = judge_cell(
            question, known, _from_json(run), _from_json(answer) if answer else None
        )
        return [judged.points, judged.problems, judged.mistake, shown]

    return {"find": find, "restore": rebuild, "show": show, "judge": judge}


def _from_json(run: dict[str, Any]) -> CellRun:
    return CellRun(
        End(run["end"]),
        [nbformat.from_dict(output) for output in run["outputs"]],
        run["evidence"],
        run["reason"],
    )


def _from_setup(setup: dict[str, Any]) -> Mapping[str, Function]:
    stubs = Config({"ClearSolutions": setup["stubs"]})
    return _functions(lessons.load(Path(setup["lesson"]), stubs), Path(setup["root"]))


if __name__ == "__main__":
    serve_as_program(_from_setup)
