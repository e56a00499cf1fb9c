"""A forked kernel does what an ordinary one does, and is had in some way wherever it can be."""

from __future__ import annotations

import logging
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from autograder.execution import bubblewrap, sandbox, template
from autograder.execution.client import CannotEnterError, SandboxClient
from autograder.execution.runs import CellRun, End
from autograder.execution.sandbox import Sandbox, SandboxPolicy

NOTEBOOKS = {
    "results and rich outputs": [
        "1 + 1",
        "x = 3; print('out'); x",
        "import sys\nprint('to stderr', file=sys.stderr)",
        """from IPython.display import HTML, Latex, Markdown, display
display(HTML('<b>bold</b>'), Markdown('*it*'), Latex('$x$'), metadata={'key': 1})""",
        """class Shown:
    def _repr_mimebundle_(self, include=None, exclude=None):
        return {'text/plain': 'plain', 'application/json': {'a': [1, 2]}}, {'text/plain': {}}
Shown()""",
        """handle = display('first', display_id='one')
handle.update('second')""",
        "from IPython.display import clear_output\nprint('gone'); clear_output(); print('kept')",
        "for i in range(3):\n    print(f'\\rstep {i}', end='')",
        "_",
        "None",
    ],
    "errors": [
        "1 / 0",
        "def f():\n    raise ValueError('deep')\nf()",
        "try:\n    1 / 0\nexcept ZeroDivisionError as error:\n    raise KeyError('k') from error",
        "def broken(:\n    pass",
        "undefined_name",
        "raise SystemExit(3)",
        "exit()",
        "assert 1 == 2, 'one is not two'",
        "class Odd(Exception):\n    def __str__(self):\n        return 'odd\\nlines'\nraise Odd",
        "raise ExceptionGroup('several', [ValueError(1), TypeError(2)])",
        "'still alive'",
    ],
    "input": [
        "input('name? ')",
        "import getpass\ngetpass.getpass()",
        "import sys\nsys.stdin.read()",
        "breakpoint()",
    ],
    "magics and shell": [
        "%precision 3\n3.14159",
        "%%capture captured\nprint('inside')",
        "captured.stdout",
        "%timeit -n 1 -r 1 -q pass",
        "%who_ls int",
        "a = 4\n%whos",
        "!echo from the shell",
        "lines = !printf 'a\\nb'\nlines",
        "%%bash\necho several; exit 3",
        "%matplotlib inline",
        "%config InlineBackend.figure_format = 'svg'",
        "%no_such_magic",
        "%%writefile helper.py\nVALUE = 5",
        "import helper\nhelper.VALUE",
        "%run helper.py\nVALUE",
        "print.__doc__[:5]; len?",
        "%debug",
    ],
    "asyncio, threads and processes": [
        "import asyncio\nawait asyncio.sleep(0, 'awaited')",
        """async def double(x):
    await asyncio.sleep(0)
    return 2 * x
await asyncio.gather(*map(double, range(3)))""",
        "asyncio.run(double(1))",
        "asyncio.get_running_loop().is_running()",
        """import threading
box = []
thread = threading.Thread(target=lambda: box.append(threading.current_thread() is not None))
thread.start(); thread.join(); box""",
        "threading.current_thread() is threading.main_thread()",
        """from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(2) as pool:
    found = list(pool.map(abs, [-1, -2]))
found""",
        """import subprocess, sys
subprocess.run([sys.executable, '-c', 'print(6)'], capture_output=True, text=True).stdout""",
        """import multiprocessing
with multiprocessing.get_context('fork').Pool(2) as pool:
    found = pool.map(abs, [-3, -4])
found""",
        "import signal\nsignal.getsignal(signal.SIGINT) is signal.default_int_handler",
    ],
    "figures": [
        """import matplotlib, matplotlib.pyplot as plt
matplotlib.get_backend()""",
        "fig, ax = plt.subplots(figsize=(3, 2))\nax.plot([1, 3, 2]); ax.set_title('t')\nplt.show()",
        "fig, ax = plt.subplots()\nax.imshow([[0, 1], [1, 0]])",
        "plt.plot([1, 2])",
        "plt.get_fignums(), len(matplotlib.rcParams), plt.rcParams['figure.dpi']",
        """import io
buffer = io.BytesIO(); fig.savefig(buffer, format='svg'); buffer.tell() > 1000""",
    ],
    "state of the interpreter": [
        "import numpy as np, random, os, sys\nnp.geterr(), np.get_printoptions()['precision']",
        "np.random.seed(1); np.random.rand(2), np.random.default_rng(2).random()",
        "random.seed(1); random.random()",
        "sorted(name for name in globals() if not name.startswith('_'))",
        "__name__, sys.argv[:2], sys.flags.safe_path, sys.getrecursionlimit()",
        "import warnings\nwarnings.warn('careful')",
        "[type(e).__name__ for e in (sys.stdout, sys.stderr)], sys.stdin is None",
        "import gc\ngc.isenabled(), gc.get_threshold()",
        "os.environ.get('MPLBACKEND'), os.environ.get('NBGRADER_EXECUTION')",
        "import autograder.probe, inspect\nsorted(vars(autograder.probe)) == dir(autograder.probe)",
        "get_ipython().__class__.__name__, get_ipython().execution_count",
        "In[-1], Out",
    ],
}

DIFFERENT = ("0x", "/tmp/ipykernel_", "ipykernel_")
"""What marks texts that differ between any two kernels: addresses and process numbers."""


@pytest.fixture
def quiet(tmp_path: Path) -> SandboxPolicy:
    """A sandbox's settings, whose warnings go to a log of its own."""
    settings = SandboxPolicy()
    settings.log = logging.getLogger("test_kernels")
    return settings


def run(opened: Sandbox, cells: list[str]) -> list[CellRun]:
    session = opened.start(10**7)
    try:
        return [session.run(cell, 60) for cell in cells]
    finally:
        session.close()


def plain(run: CellRun) -> Any:
    """Return what a cell did, without what differs between any two kernels."""
    outputs = []
    for output in run.outputs:
        shown = dict(output)
        traceback = shown.pop("traceback", None)
        if traceback is not None:
            shown["lines of traceback"] = len("\n".join(traceback).split("\n"))
        text = repr(shown)
        for mark in DIFFERENT:
            while mark in text:
                before, _, after = text.partition(mark)
                text = before + "…" + after.lstrip("0123456789abcdef")
        outputs.append(text)
    return run.end, run.reason, outputs


@pytest.mark.slow
@pytest.mark.parametrize("name", NOTEBOOKS)
@pytest.mark.sandbox
def test_a_forked_kernel_does_what_an_ordinary_one_does(name, quiet, tmp_path, monkeypatch):
    with quiet.opened(tmp_path) as opened:
        forked = run(opened, NOTEBOOKS[name])
    monkeypatch.setattr(bubblewrap, "program", lambda: None)
    sandbox._warn_once.cache_clear()
    with quiet.opened(tmp_path) as opened:
        ordinary = run(opened, NOTEBOOKS[name])
    for cell, one, other in zip(NOTEBOOKS[name], forked, ordinary, strict=True):
        assert plain(one) == plain(other), cell
    assert {one.end for one in forked} == {End.DONE}


@pytest.mark.sandbox
def test_two_forked_kernels_draw_different_random_numbers(quiet, tmp_path):
    draw = ["import numpy as np, random, uuid\nnp.random.rand(), random.random(), uuid.uuid4()"]
    with quiet.opened(tmp_path) as opened:
        first, second = run(opened, draw), run(opened, draw)
    assert first[0].outputs[0].data != second[0].outputs[0].data


@pytest.fixture
def cannot_enter(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A machine on which no process may move into a sandbox."""

    def refuse(*_: object) -> None:
        raise CannotEnterError("PermissionError: not here")

    monkeypatch.setattr(SandboxClient, "_enter", refuse)
    return


@pytest.mark.usefixtures("cannot_enter")
@pytest.mark.sandbox
def test_where_no_fork_can_be_had_the_kernel_is_confined_all_the_same(quiet, tmp_path, caplog):
    (tmp_path / "data.txt").write_text("seen", encoding="utf-8")
    cells = [
        "print(open('data.txt').read())",
        f"import os; print(os.path.exists({__file__!r}))",
        "import socket; print(socket.if_nameindex())",
        "print(open('/proc/self/status').read().partition('CapEff:')[2].split()[0].strip('0'))",
        "import subprocess, time\n"
        "for _ in range(200): subprocess.Popen(['sleep', '60'])\n"
        "time.sleep(60)",  # processes are counted ten times a second
    ]
    with quiet.opened(tmp_path) as opened:
        done = run(opened, cells)
        again = run(opened, cells[:1])
    texts = ["".join(output.text for output in cell.outputs) for cell in done[:4]]
    assert texts == ["seen\n", "False\n", "[(1, 'lo')]\n", "\n"]
    assert done[4].end is not End.DONE
    assert "processes" in done[4].reason
    assert again[0].outputs[0].text == "seen\n"
    assert "started inside" in caplog.text


@pytest.mark.sandbox
def test_a_template_that_was_killed_is_replaced(quiet, tmp_path):
    with quiet.opened(tmp_path) as opened:
        run(opened, ["1"])
    process = template.current_template()._process
    assert process is not None
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    deadline = time.monotonic() + 60
    with quiet.opened(tmp_path) as opened:
        [done] = run(opened, ["2"])
    assert done.outputs[0].data["text/plain"] == "2"
    assert time.monotonic() < deadline


@pytest.mark.sandbox
def test_a_shared_template_serves_another_process_which_does_not_end_it(quiet, tmp_path):
    control = template.template_control()
    assert control is not None
    own = template._templates.pop(os.getpid())
    try:
        template.share_template(control.dup())
        with quiet.opened(tmp_path) as opened:
            [done] = run(opened, ["6 * 7"])
        assert done.outputs[0].data["text/plain"] == "42"
        template.close_template()
        assert own._process is not None
        assert own._process.poll() is None
    finally:
        template._templates[os.getpid()] = own


def test_a_recorded_check_shows_nothing_of_its_hidden_block(quiet, tmp_path):
    """Also where nobody judges it, the lines that led there must not be in the notebook."""
    block = "from autograder.probe import case, probe\nprobe(abs, case('secret label', -1))"
    with quiet.opened(tmp_path) as opened:
        [done] = run(opened, [block])
    [error] = [output for output in done.outputs if output.output_type == "error"]
    assert error.ename == "EvidenceRecorded"
    assert "secret label" not in "\n".join(error.traceback)
    assert len(error.traceback) == 1
