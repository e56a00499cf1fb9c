"""Work on submissions in a process that ends when it takes too much."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator

import psutil
import pytest

from autograder.bounded import worker as bounded
from autograder.bounded.worker import BeyondLimitsError, Worker, WorkerError

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="calls are made right here")

PROGRAM = """
import sys
sys.path[:0] = {path!r}
from test_bounded import functions
from autograder.bounded.worker import serve_as_program
serve_as_program(lambda setup: functions())
"""


def _spin() -> None:
    while True:
        pass


def _stubborn() -> None:
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass


def functions() -> dict[str, bounded.Function]:
    """Return what the tests call."""
    return {
        "add": lambda a, b: a + b,
        "pid": os.getpid,
        "spin": _spin,
        "stubborn": _stubborn,
        "sleep": lambda: time.sleep(600),
        "eat": lambda: len([bytearray(2**20) for _ in range(4000)]),
        "sip": lambda: len(bytearray(100 * 2**20)),
        "fail": lambda: {}["no such key"],
        "exit": lambda: os._exit(3),
        "long": lambda: "x" * 20_000_000,
    }


@pytest.fixture(params=["forked", "started as a program"])
def worker(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Worker]:
    monkeypatch.setattr(bounded, "_may_fork", lambda: request.param == "forked")
    program = [sys.executable, "-c", PROGRAM.format(path=sys.path)]
    # A test before may have left one for all that come: the template of sandboxes, say.
    before = set(psutil.Process().children())
    with Worker(functions, program, {}, 200 * 2**20) as made:
        yield made
    assert set(psutil.Process().children()) <= before


def test_a_call_gives_its_result_from_another_process(worker):
    assert worker.call("add", 5, a=[1], b=["é\ud800"]) == [1, "é\ud800"]
    first = worker.call("pid", 5)
    assert first not in (os.getpid(), None)
    assert worker.call("pid", 5) == first
    assert len(worker.call("long", 5)) == 20_000_000


@pytest.mark.parametrize("name", ["spin", "stubborn", "sleep"])
def test_a_call_that_does_not_end_is_ended_and_the_next_one_is_made(worker, name):
    worker.call("pid", 5)
    start = time.monotonic()
    with pytest.raises(BeyondLimitsError, match=r"more than 0\.5 s|does not finish in time"):
        worker.call(name, 0.5)
    assert time.monotonic() - start < 30
    assert worker.call("add", 5, a=1, b=2) == 3


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not limit memory")
def test_a_call_may_take_memory_and_not_more(worker):
    assert worker.call("sip", 5) == 100 * 2**20
    with pytest.raises(BeyondLimitsError, match="memory"):
        worker.call("eat", 60)
    assert worker.call("add", 5, a=1, b=2) == 3


def test_a_fault_of_ours_is_told_from_one_of_a_submission(worker):
    with pytest.raises(WorkerError, match="KeyError"):
        worker.call("fail", 5)
    with pytest.raises(BeyondLimitsError):
        worker.call("exit", 5)
    assert worker.call("add", 5, a=1, b=2) == 3


def test_a_process_that_was_killed_meanwhile_costs_one_call_at_most(worker):
    psutil.Process(worker.call("pid", 5)).kill()
    with pytest.raises((BeyondLimitsError, WorkerError)):
        worker.call("add", 5, a=1, b=2)
    assert worker.call("add", 5, a=1, b=2) == 3


def test_only_a_process_without_foreign_threads_is_forked():
    stop = threading.Event()
    own = threading.Thread(target=stop.wait, name=bounded.WATCHER)
    foreign = threading.Thread(target=stop.wait)
    expected = sys.platform == "linux" and threading.active_count() == 1
    own.start()
    assert bounded._may_fork() == expected
    foreign.start()
    assert not bounded._may_fork()
    stop.set()
    own.join()
    foreign.join()
