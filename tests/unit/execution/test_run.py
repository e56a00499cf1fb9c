"""Running whole notebooks, whatever their cells do to the kernel."""

from __future__ import annotations

import contextlib
import tempfile
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_output
from support.answers import answered, cell_of, index_of

from autograder.execution import outputs
from autograder.execution.clock import Clock
from autograder.execution.run import Limits, run
from autograder.execution.runs import CellRun, End
from autograder.execution.sandbox import SandboxPolicy
from autograder.submission.restore import restore


class Executed:
    """A notebook that was run; cells of the student's are found by their first line."""

    def __init__(self, node, runs, kind):
        self.node = node
        self.runs = runs
        self.sandbox = kind

    def index(self, name):
        for i, cell in enumerate(self.node.cells):
            if cell.source.startswith(f"# {name}\n"):
                return i
        return index_of(self.node, name)

    def run(self, name):
        return self.runs[self.index(name)]

    def text(self, name):
        outputs = self.run(name).outputs
        return "".join(output.text for output in outputs if output.output_type == "stream")

    def errors(self, name):
        outputs = self.run(name).outputs
        return [output for output in outputs if output.output_type == "error"]


def execute(notebook, cells=(), files=None, answers=None, **limits):
    """Run a perfect submission with cells of the student's, as ``(place, name, code)``."""
    node = answered(notebook, **(answers or {}))
    for place, name, code in cells:
        at = len(node.cells) if place == "end" else index_of(node, place)
        node.cells.insert(at, new_code_cell(f"# {name}\n{code}"))
    node = restore(notebook, node).node
    limits = Limits(**limits)
    with contextlib.ExitStack() as stack:
        folder = files or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="ag-")))
        sandbox = stack.enter_context(SandboxPolicy().opened(folder))
        runs = run(node, sandbox, limits, Clock(limits.notebook_seconds))
    for number, (index, given) in enumerate(runs.items(), 1):
        given.outputs = outputs.shown(given, limits.shown_bytes)
        node.cells[index].outputs = given.numbered(number)
        node.cells[index].execution_count = number
    return Executed(node, runs, sandbox.kind)


# A notebook with all that ends well -------------------------------------------------------------


@pytest.fixture(scope="module")
def ordinary(lesson):
    return execute(
        lesson.notebook("1_double"),
        [
            ("double", "before", "factor = 2\nprint('long ' * 1000)"),
            ("double", "value", "print('text')\nfactor"),
            ("end", "after", "print('figure_drawn' in globals(), factor, __name__)\n1 / 0"),
            ("end", "question", "input('name? ')"),
            ("end", "last", "print('still here')"),
        ],
        shown_bytes=2000,
    )


def test_the_check_of_an_answer_gives_its_evidence(ordinary):
    run = ordinary.run("double_check")
    assert run.end is End.DONE
    assert len(run.evidence) == 1
    assert len(run.evidence[0]["cases"]) == 3


def test_a_check_is_not_judged_by_what_it_raises(ordinary):
    assert [error.ename for error in ordinary.errors("double_check")] == ["EvidenceRecorded"]


def test_outputs_are_kept_in_the_notebook(ordinary):
    assert ordinary.text("demo") == "15.0\n"
    [_, result] = ordinary.node.cells[ordinary.index("value")].outputs
    assert result.data["text/plain"] == "2"
    nbformat.validate(ordinary.node)


def test_cells_that_draw_are_skipped(ordinary):
    assert ordinary.index("figure") not in ordinary.runs
    assert ordinary.text("after") == "False 2 __main__\n"


def test_cells_after_an_exception_are_run(ordinary):
    assert [error.ename for error in ordinary.errors("after")] == ["ZeroDivisionError"]
    assert [error.ename for error in ordinary.errors("question")] == ["StdinNotImplementedError"]
    assert ordinary.text("last") == "still here\n"


def test_long_output_is_cut_with_a_note(ordinary):
    text = ordinary.text("before")
    assert len(text) < 2100
    assert text.endswith("\n… output cut here\n")


def test_what_confined_the_students_code_is_known(ordinary):
    assert ordinary.sandbox == SandboxPolicy().kind


# Cells that end the kernel ----------------------------------------------------------------------


@pytest.fixture(scope="module")
def fatal(lesson):
    return execute(
        lesson.notebook("1_double"),
        [
            ("double", "counts", "count = globals().get('count', 0) + 1"),
            ("double", "dies", "lost = 1\nprint('begun', flush=True)\nimport os\nos._exit(1)"),
            ("double", "again", "print(count, 'lost' in globals(), numbers.shape)"),
            ("end", "dies-too", "import os\nos._exit(1)"),
            ("end", "last", "print(double(numbers).sum(), count)"),
        ],
    )


def test_a_cell_that_ends_the_kernel_is_named_and_stopped(fatal):
    assert fatal.run("dies").end is End.DIED
    [error] = fatal.errors("dies")
    assert error.ename == "CellStopped"
    assert error.evalue == f"This cell was stopped: {fatal.run('dies').reason}."


def test_cells_after_a_fatal_one_run_with_the_definitions_before_it(fatal):
    assert fatal.text("again") == "1 False (2, 3)\n"
    assert fatal.text("last") == "30.0 1\n"


def test_evidence_before_a_fatal_cell_stands(fatal):
    assert fatal.run("double_check").end is End.DONE
    assert len(fatal.run("double_check").evidence) == 1


def test_an_answer_that_ends_the_kernel_costs_its_own_check_alone(lesson):
    executed = execute(
        lesson.notebook("1_double"),
        [
            ("double_check", "replaces", "import os\ndef double(numbers):\n    os._exit(1)"),
            ("end", "last", "print(numbers.shape)"),
        ],
    )
    assert executed.run("double_check").end is End.DIED
    assert executed.run("double_check").evidence == []
    assert executed.text("last") == "(2, 3)\n"


def test_a_cell_that_asks_the_kernel_to_end_costs_no_answer(lesson):
    answer = "def double(numbers):\n    return 2 * numbers"
    executed = execute(
        lesson.notebook("1_double"),
        [("double", "asks", "exit()")],
        answers={"double": f"import threading\nthreading.Event().wait(1.5)\n{answer}"},
    )
    assert executed.run("double").end is End.DONE
    assert executed.run("double_check").evidence


# Limits -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def slow(lesson):
    return execute(
        lesson.notebook("1_double"),
        [
            ("double", "endless", "kept = 1\nwhile True: pass"),
            ("double", "after", "print(kept)"),
            (
                "end",
                "stubborn",
                "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: pass",
            ),
            ("end", "after-stubborn", "print('kept' in globals(), double(numbers).shape)"),
        ],
        cell_seconds=1,
    )


def test_an_endless_cell_is_stopped_and_keeps_what_it_defined(slow):
    assert slow.run("endless").end is End.TIMEOUT
    [error] = slow.errors("endless")
    assert error.evalue == "This cell was stopped: it did not finish within 1 s."
    assert slow.text("after") == "1\n"
    assert slow.run("double_check").evidence


def test_a_cell_that_cannot_be_interrupted_is_stopped(slow):
    assert slow.run("stubborn").end is End.HUNG
    [error] = slow.errors("stubborn")
    assert error.evalue == (
        "This cell was stopped: it did not finish within 1 s and could not be interrupted."
    )


def test_an_endless_cell_before_a_fatal_one_is_run_again_for_its_definitions(slow):
    assert slow.text("after-stubborn") == "True (2, 3)\n"


def test_a_notebook_ends_at_its_limit_and_keeps_what_was_earned(lesson):
    executed = execute(
        lesson.notebook("1_double"),
        [("recap", "endless", "while True: pass"), ("end", "last", "print('too late')")],
        notebook_seconds=6,
        cell_seconds=60,
    )
    assert executed.run("double_check").evidence
    assert executed.run("endless").reason == "the notebook reached its limit of 6 s"
    assert executed.run("last").end is End.TIMEOUT
    assert executed.text("last") == ""
    [error] = executed.errors("last")
    assert error.evalue == "This cell was stopped: the notebook reached its limit of 6 s."


# Files ------------------------------------------------------------------------------------------


def test_a_notebook_sees_the_files_of_its_submission_and_cannot_change_them(lesson, tmp_path):
    (tmp_path / "data.txt").write_text("three")
    executed = execute(
        lesson.notebook("1_double"),
        [
            (
                "end",
                "reads",
                "from pathlib import Path\n"
                "print(Path('data.txt').read_text())\n"
                "Path('data.txt').write_text('four')\n"
                "Path('new.txt').write_text('five')",
            )
        ],
        files=tmp_path,
    )
    assert executed.text("reads") == "three\n"
    assert [path.name for path in tmp_path.iterdir()] == ["data.txt"]
    assert (tmp_path / "data.txt").read_text() == "three"


def test_nothing_is_left_in_the_folder_for_temporary_files(lesson, monkeypatch):
    with tempfile.TemporaryDirectory(prefix="ag-") as folder:
        monkeypatch.setattr(tempfile, "tempdir", folder)
        execute(lesson.notebook("2_count"))
        left = [path.name for path in Path(folder).iterdir()]
    assert [name for name in left if not name.startswith("ag-mpl-")] == []


# What is shown, without a kernel ----------------------------------------------------------------


def shown(run, text=100_000, pictures=2**20):
    outputs.Room(text, pictures).cut(run)
    return outputs.shown(run, text)


def test_output_after_the_cut_is_dropped():
    streams = [new_output("stream", name=n, text="x" * 60) for n in ("stdout", "stderr", "stdout")]
    found = shown(CellRun(outputs=streams), text=100)
    assert [len(output.text) for output in found] == [60, 40 + len("\n… output cut here\n")]


def test_a_traceback_is_kept_to_its_end():
    error = new_output("error", ename="E", evalue="v", traceback=[f"line {i}" for i in range(90)])
    [found] = shown(CellRun(outputs=[error]))
    assert found.traceback == [f"line {i}" for i in range(50, 90)]


def test_figures_beyond_the_limit_are_dropped():
    figures = [new_output("display_data", {"image/png": "x" * 600}) for _ in range(3)]
    assert len(shown(CellRun(outputs=figures), pictures=1500)) == 2


def test_a_stopped_cell_shows_why_in_place_of_its_own_error():
    error = new_output("error", ename="KeyboardInterrupt", evalue="", traceback=["..."])
    text = new_output("stream", name="stdout", text="begun")
    run = CellRun(End.TIMEOUT, outputs=[text, error], reason="it did not finish within 1 s")
    assert [output.get("ename") for output in shown(run)] == [None, "CellStopped"]


def test_cells_of_text_and_empty_cells_are_not_run(ordinary):
    kinds = {ordinary.node.cells[i].cell_type for i in ordinary.runs}
    assert kinds == {"code"}
    assert cell_of(ordinary.node, "double").execution_count is not None


def test_html_beyond_the_notebooks_share_is_shown_as_text(monkeypatch):
    monkeypatch.setattr(outputs, "NOTEBOOK_HTML", 25)
    room = outputs.Room(1000, 1000)
    runs = [
        CellRun(outputs=[new_output("display_data", {"text/html": "<p>table</p>", **plain})])
        for plain in ({"text/plain": "a"}, {"text/plain": "b"}, {"text/plain": "c"}, {})
    ]
    for one in runs:
        room.cut(one)
    kept = [one.outputs[0].data for one in runs]
    assert ["text/html" in data for data in kept] == [True, True, False, False]
    assert [data["text/plain"][:1] for data in kept[:3]] == ["a", "b", "c"]
    assert "shows more than" in kept[3]["text/plain"]
