"""Conversations with a real kernel that may misbehave."""

from __future__ import annotations

import contextlib
import functools
import tempfile
import threading
import time
from pathlib import Path

import psutil
import pytest

from autograder.errors import KernelStartError
from autograder.evidence import MIME
from autograder.execution import channels, collect
from autograder.execution.channels import new_connection
from autograder.execution.process import OrdinaryKernel, kernel_environment
from autograder.execution.runs import End
from autograder.execution.session import Session

OUTPUT_BYTES = 2**20

LONG = 60.0
"""Seconds for cells that end by themselves, on a busy machine too."""


class Kernels:
    """Starts sessions with ordinary kernels in a folder with a short path."""

    def __init__(self, home):
        self.home = Path(home)
        self.processes = []

    def session(self, limits=None):
        env = kernel_environment(self.home)

        def launch():
            kernel = OrdinaryKernel(self.home, env, self.home, limits)
            self.processes.append(psutil.Process(kernel._process.pid))
            return kernel

        return Session(launch, output_bytes=OUTPUT_BYTES, message_bytes=OUTPUT_BYTES)


@pytest.fixture(scope="module")
def kernels():
    with tempfile.TemporaryDirectory(prefix="ag-") as home:
        yield Kernels(home)


@pytest.fixture(scope="module")
def session(kernels):
    """One kernel for all tests after which it lives."""
    with kernels.session() as session:
        yield session


def run(session, code, timeout=LONG):
    found = session.run(code, timeout)
    assert found.end is End.DONE
    return found


def text_of(found):
    return "".join(output.text for output in found.outputs if output.output_type == "stream")


def wait_until_gone(process):
    """Wait until a process has ended; what nobody reaps is a zombie, and ended too."""
    deadline = time.monotonic() + LONG
    while time.monotonic() < deadline:
        with contextlib.suppress(psutil.NoSuchProcess):
            if process.is_running() and process.status() != psutil.STATUS_ZOMBIE:
                threading.Event().wait(0.02)
                continue
        return
    pytest.fail(f"{process} is still there")


# Outputs ----------------------------------------------------------------------------------------


def test_outputs_come_in_the_order_in_which_they_were_made(session):
    found = run(
        session,
        "import sys\n"
        # Without a flush the kernel sends each stream by a clock of its own.
        "print('one')\nprint('two', flush=True)\n"
        "print('three', file=sys.stderr, flush=True)\n"
        "display('four')\n"
        "5",
    )
    assert [output.output_type for output in found.outputs] == [
        "stream",
        "stream",
        "display_data",
        "execute_result",
    ]
    assert [output.get("text") for output in found.outputs[:2]] == ["one\ntwo\n", "three\n"]
    assert found.outputs[3].data["text/plain"] == "5"
    assert found.evidence == []


def test_an_exception_is_an_output_and_the_next_cell_runs(session):
    found = run(session, "x = 3\n1 / 0")
    [error] = found.outputs
    assert (error.output_type, error.ename) == ("error", "ZeroDivisionError")
    assert text_of(run(session, "print(x)")) == "3\n"


@pytest.mark.parametrize("code", ["def f(:", "raise SystemExit(3)", "%nonsense", "\0"])
def test_code_that_cannot_run_ends_nothing(session, code):
    session.run(code, LONG)
    assert text_of(run(session, "print('still here')")) == "still here\n"


def test_a_cell_without_output_has_none(session):
    assert run(session, "x = 1").outputs == []
    assert run(session, "").outputs == []


def test_a_question_to_the_user_is_an_error(session):
    [error] = run(session, "input('name? ')").outputs
    assert error.ename == "StdinNotImplementedError"


def test_a_progress_bar_is_shown_as_it_was_at_last(session):
    found = run(
        session,
        "for i in range(200):\n    print(f'\\r{i} of 200', end='', flush=True)\nprint('\\ndone')",
    )
    assert text_of(found) == "199 of 200\ndone\n"


def test_output_that_is_cleared_is_gone(session):
    clear = "from IPython.display import clear_output\nprint('one')\nclear_output()\nprint('two')"
    assert text_of(run(session, clear)) == "two\n"


def test_output_that_is_cleared_when_the_next_comes_stays_until_then(session):
    start = "from IPython.display import clear_output\nprint('one')\nclear_output(wait=True)\n"
    assert text_of(run(session, start)) == "one\n"
    assert text_of(run(session, start + "print('two')")) == "two\n"


def test_a_display_may_be_updated_by_its_own_cell(session):
    found = run(session, "shown = display('before', display_id=True)\nshown.update('after')")
    [output] = found.outputs
    assert output.data["text/plain"] == "'after'"


def test_a_display_is_not_changed_by_another_cell(session):
    first = run(session, "shown = display('before', display_id=True)")
    second = run(session, "shown.update('after')")
    assert first.outputs[0].data["text/plain"] == "'before'"
    assert second.outputs == []


def test_what_a_thread_prints_later_is_not_the_next_cells(session):
    run(
        session,
        "import threading\n"
        "go = threading.Event()\n"
        "def late():\n    go.wait()\n    print('late')\n"
        "thread = threading.Thread(target=late)\n"
        "thread.start()",
    )
    found = run(session, "print('own')\ngo.set()\nthread.join()")
    assert "own\n" in text_of(found)


# Evidence ---------------------------------------------------------------------------------------


def publish(data, count=1):
    return (
        "from IPython.display import publish_display_data\n"
        f"for _ in range({count}):\n    publish_display_data({{{MIME!r}: {data}}})"
    )


def test_evidence_is_collected_and_is_no_output(session):
    found = run(session, publish({"version": 1}, count=2) + "\nprint('and text')")
    assert found.evidence == [{"version": 1}, {"version": 1}]
    assert text_of(found) == "and text\n"
    assert len(found.outputs) == 1


def test_evidence_stands_although_the_cell_raises(session):
    found = run(session, publish({"version": 1}) + "\nraise ValueError")
    assert len(found.evidence) == 1
    assert [output.output_type for output in found.outputs] == ["error"]


def test_evidence_stays_although_the_output_is_cleared(session):
    found = run(session, publish({}) + "\nfrom IPython.display import clear_output\nclear_output()")
    assert found.evidence == [{}]


@pytest.mark.parametrize(
    "code",
    [
        f"display({{{MIME!r}: {{}}}}, raw=True, display_id='e', update=True)",
        f"class Result:\n    def _repr_mimebundle_(self, **_):\n        return {{{MIME!r}: {{}}}}\n"
        "Result()",
        f"print({MIME!r})",
    ],
    ids=["update", "result", "print"],
)
def test_only_a_display_is_evidence(session, code):
    assert run(session, code).evidence == []


def test_evidence_for_another_cell_is_ignored(session):
    run(
        session,
        "from ipykernel.kernelapp import IPKernelApp\n"
        "kernel = IPKernelApp.instance().kernel\n"
        "old = dict(kernel.get_parent())",
    )
    found = run(
        session,
        f"content = {{'data': {{{MIME!r}: {{}}}}, 'metadata': {{}}, 'transient': {{}}}}\n"
        "kernel.session.send(kernel.iopub_socket, 'display_data', content, parent=old)\n"
        "print('own')",
    )
    assert found.evidence == []
    assert text_of(found) == "own\n"


# Malformed messages -----------------------------------------------------------------------------

SEND = """\
from ipykernel.kernelapp import IPKernelApp
kernel = IPKernelApp.instance().kernel
parent = kernel.get_parent()
def send(kind, content, **more):
    kernel.session.send(kernel.iopub_socket, kind, content, parent=parent, **more)
"""


@pytest.mark.parametrize(
    "code",
    [
        "kernel.iopub_socket.send_multipart([b'not', b'a', b'message'])",
        "kernel.iopub_socket.send_multipart([b''])",
        "kernel.iopub_socket.send_multipart([b'<IDS|MSG>', b'0' * 64, b'{}', b'{}', b'{}', b'{}'])",
        "kernel.iopub_socket.send_multipart([b'<IDS|MSG>', b'', b'[' * 100000, b'', b'', b''])",
        "send('stream', {'name': 3, 'text': ['a']})",
        "send('stream', {})",
        "send('stream', b'[1, 2]')",
        "send('stream', b'no JSON')",
        "send('stream', {'name': 'unheard of', 'text': 'x'})",
        "send(['stream'], {})",
        "send('display_data', {'data': None, 'metadata': {}})",
        f"send('display_data', {{'data': [{MIME!r}]}})",
        "send('display_data', {'data': {'text/plain': {}}, 'metadata': 3})",
        "send('display_data', {'data': {}, 'metadata': {}, 'transient': 'x'})",
        "send('display_data', {'data': {}, 'metadata': {}, 'transient': {'display_id': [1]}})",
        "send('update_display_data', {'data': {}, 'metadata': {}})",
        "send('update_display_data', {})",
        "send('execute_result', {'data': {}, 'metadata': {}, 'execution_count': 'x'})",
        "send('error', {'ename': 1})",
        "send('clear_output', {'wait': []})",
        "send('status', {'execution_state': []})",
        "send('status', {})",
        "send('unheard_of', {})",
        "x = []\nfor _ in range(900): x = [x]\n"
        f"send('display_data', {{'data': {{{MIME!r}: x}}, 'metadata': {{}}}})",
    ],
)
def test_a_malformed_message_does_no_harm(session, code):
    found = run(session, SEND + code + "\nprint('own')")
    assert "own\n" in text_of(found)
    assert text_of(run(session, "print('next')")) == "next\n"


def test_a_cell_that_says_that_it_is_done_too_early_loses_its_output_alone(session):
    session.run(SEND + "send('status', {'execution_state': 'idle'})\nprint('lost')", LONG)
    assert text_of(run(session, "print('next')")) == "next\n"


def test_messages_with_the_key_of_nobody_are_ignored(session):
    found = run(
        session,
        SEND + "from jupyter_client.session import Session\n"
        "stranger = Session(key=b'guess')\n"
        "content = {'name': 'stdout', 'text': 'forged'}\n"
        "stranger.send(kernel.iopub_socket, 'stream', content, parent=parent)\n"
        "print('own')",
    )
    assert text_of(found) == "own\n"


# Limits -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("code", ["while True: pass", "import time\ntime.sleep(10_000)"])
def test_an_endless_cell_is_interrupted_and_the_kernel_lives(session, code):
    run(session, "kept = 5")
    found = session.run(f"print('begun')\n{code}", 1.5)
    assert (found.end, found.reason) == (End.TIMEOUT, "it did not finish within 1.5 s")
    assert not found.end.fatal
    assert text_of(found) == "begun\n"
    assert text_of(run(session, "print(kept)")) == "5\n"


@pytest.mark.parametrize(
    "code",
    [
        "while True: print('x' * 1000)",
        "import sys\nwhile True: print('x' * 1000, file=sys.stderr)",
        "while True: display('x' * 1000)",
        "shown = display('x', display_id=True)\nwhile True: shown.update('x' * 1000)",
        "from IPython.display import clear_output\n"
        "while True:\n    print('x' * 1000)\n    clear_output()",
        publish({"a": "x" * 1000}, count=10**9),
    ],
    ids=["print", "stderr", "display", "update", "clear", "evidence"],
)
def test_a_cell_that_sends_without_end_is_stopped_and_the_kernel_lives(session, code, monkeypatch):
    found = session.run(code, LONG)
    assert (found.end, found.reason) == (End.FLOOD, "it printed or displayed too much")
    assert len(repr(found.outputs)) + len(repr(found.evidence)) < 4 * OUTPUT_BYTES
    assert text_of(run(session, "print('still here')")) == "still here\n"


def test_what_is_left_of_a_flood_is_not_charged_to_the_next_cell(session, monkeypatch):
    receive = channels.Channels.receive

    def slowly(self, seconds, flooded=False):
        for message in receive(self, seconds, flooded):
            time.sleep(0.002)
            yield message

    with monkeypatch.context() as patch:
        patch.setattr(channels.Channels, "receive", slowly)
        found = session.run("for _ in range(6000): display('x' * 1000)", LONG)
        assert (found.end, found.reason) == (End.FLOOD, "it printed or displayed too much")
    found = run(session, f"print('y' * {OUTPUT_BYTES // 2})")
    assert text_of(found) == "y" * (OUTPUT_BYTES // 2) + "\n"


@pytest.mark.parametrize("mime", ["application/x+json", MIME])
def test_lists_that_take_much_memory_are_counted_and_not_read(session, mime):
    before = psutil.Process().memory_info().rss
    start = time.process_time()
    found = session.run(
        SEND
        + f"lists = b'{{\"data\":{{\"{mime}\":[' + b'[],' * 300_000 + b'0]}},\"metadata\":{{}}}}'\n"
        "for _ in range(20): send('display_data', lists)",
        LONG,
    )
    assert found.outputs == []
    assert len(found.evidence) < 2
    assert time.process_time() - start < 10
    assert psutil.Process().memory_info().rss - before < 150 * 2**20
    assert text_of(run(session, "print('next')")) == "next\n"


def test_a_long_list_that_is_printed_is_kept_brackets_and_all(session):
    assert text_of(run(session, "print([[]] * 200_000)")) == f"{[[]] * 200_000}\n"


def test_what_all_cells_send_is_kept_up_to_a_limit_and_evidence_beyond_it(session, monkeypatch):
    monkeypatch.setattr(collect, "MAX_KEPT_BYTES", 2**19)
    printing = "print('x' * 200_000)"
    runs = [run(session, printing) for _ in range(6)]
    # A print may come in two messages, of which the short one still has room.
    assert 200_000 < sum(len(text_of(found)) for found in runs) <= 2**19
    assert run(session, publish({"version": 1})).evidence == [{"version": 1}]
    del runs
    assert len(text_of(run(session, printing))) > 200_000


def test_one_long_line_is_kept_and_costs_the_grader_no_time(session):
    size = OUTPUT_BYTES // 5
    start = time.process_time()
    assert text_of(run(session, f"print('x' * {size})")) == "x" * size + "\n"
    assert time.process_time() - start < 5


def test_a_cell_that_cannot_be_interrupted_is_killed(kernels):
    with kernels.session() as session:
        found = session.run(
            "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: pass", 1.5
        )
        assert found.end is End.HUNG
        assert found.end.fatal
        assert found.reason == "it did not finish within 1.5 s and could not be interrupted"
        assert not session.alive
        wait_until_gone(kernels.processes[-1])


def test_a_kernel_that_ends_itself_is_noticed_at_once(kernels):
    with kernels.session() as session:
        start = time.monotonic()
        found = session.run("print('begun', flush=True)\nimport os\nos._exit(0)", 10 * LONG)
        assert found.end is End.DIED
        assert found.end.fatal
        assert "the kernel died while it ran" in found.reason
        assert time.monotonic() - start < LONG
        assert not session.alive


def test_a_death_that_is_noticed_late_is_no_message_beyond_all_limits(kernels):
    class NoticedLate(OrdinaryKernel):
        polls = 0

        @property
        def alive(self):
            if not super().alive:
                self.polls += 1
            return self.polls < 5

    env = kernel_environment(kernels.home)
    launch = functools.partial(NoticedLate, kernels.home, env=env, cwd=kernels.home)
    with Session(launch) as session:
        found = session.run("import os\nos._exit(0)", LONG)
        assert found.end is End.DIED
        assert "the kernel died while it ran" in found.reason


@pytest.mark.parametrize("code", ["exit()", "quit()", "get_ipython().ask_exit()"])
def test_a_cell_that_asks_the_kernel_to_end_costs_no_other_cell(kernels, code):
    with kernels.session() as session:
        asked = session.run(code, LONG)
        if not asked.end.fatal:
            assert [session.run("1", LONG).end for _ in range(100)] == [End.DONE] * 100


def test_a_message_beyond_all_limits_costs_the_kernel(kernels, monkeypatch):
    monkeypatch.setattr(channels, "MAX_MESSAGE_BYTES", 2**20)
    with kernels.session() as session:
        found = session.run("display('x' * 2**22)", LONG)
        assert found.end is End.HUNG
        assert found.reason == "it sent a message that is too large to read"
        assert len(repr(found.outputs)) < 2**20


def test_resource_limits_hold_in_the_kernel(kernels):
    limits = {"as": 4 * 2**30, "nofile": 100, "fsize": 2**20, "core": 0}
    with kernels.session(limits) as session:
        found = run(
            session,
            "import resource\n"
            "for name in ('AS', 'NOFILE', 'FSIZE', 'CORE'):\n"
            "    print(resource.getrlimit(getattr(resource, f'RLIMIT_{name}')))",
        )
        assert text_of(found).splitlines() == [f"({n}, {n})" for n in limits.values()]
        [error] = run(session, "import numpy as np\nnp.ones(2**30)").outputs
        assert "MemoryError" in error.ename
        [error] = run(session, "open('big', 'wb').write(b'x' * 2**21)").outputs
        assert error.ename == "OSError"
        assert text_of(run(session, "print('still here')")) == "still here\n"


# Beginning and end ------------------------------------------------------------------------------


def test_nothing_is_left_behind(kernels):
    session = kernels.session()
    session.start()
    found = run(
        session,
        "import subprocess\nchild = subprocess.Popen(['sleep', '10000'])\nprint(child.pid)",
    )
    child = psutil.Process(int(text_of(found)))
    before = set(kernels.home.glob("k*"))
    session.close()
    wait_until_gone(kernels.processes[-1])
    wait_until_gone(child)
    assert len(before - set(kernels.home.glob("k*"))) == 1
    session.close()


def test_a_closed_session_is_not_alive(kernels):
    with kernels.session() as session:
        assert session.alive
    assert not session.alive


def test_a_kernel_that_does_not_start_is_the_machines_fault(tmp_path):
    class Dead:
        death = "it was never alive"
        alive = False
        connection = new_connection()

        def kill(self):
            pass

        def log_tail(self):
            return "no such module"

    with pytest.raises(
        KernelStartError,
        match=r"ended while starting: it was never alive; its last words: no such module",
    ):
        Session(Dead).start()


def test_a_kernel_that_cannot_even_be_launched_leaves_nothing_behind(tmp_path):
    missing = tmp_path / "missing"
    runtime = tmp_path / "runtime"
    runtime.mkdir()
    with pytest.raises(KernelStartError, match="missing"):
        Session(lambda: OrdinaryKernel(runtime, {}, missing)).start()
    assert list(runtime.iterdir()) == []


def test_a_kernel_starts_without_the_graders_environment_and_the_students_files(
    kernels, monkeypatch
):
    monkeypatch.setenv("SECRET_TOKEN", "secret")
    (kernels.home / "numpy.py").write_text("raise RuntimeError('the wrong numpy')")
    with kernels.session() as session:
        found = run(
            session,
            "import os, numpy, autograder.probe\n"
            "print('SECRET_TOKEN' in os.environ, os.environ['HOME'], numpy.pi)",
        )
        assert text_of(found).startswith(f"False {kernels.home} 3.14")


def test_the_environment_of_a_kernel_may_be_added_to(tmp_path):
    env = kernel_environment(tmp_path, NBGRADER_EXECUTION="autograde")
    assert env["NBGRADER_EXECUTION"] == "autograde"
    assert env["HOME"] == str(tmp_path)
