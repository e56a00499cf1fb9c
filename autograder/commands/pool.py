"""Run grading tasks in this process, in processes of this machine or on a Dask cluster.

A grading process may be killed at any time. The tasks that it and its siblings were at are then
tried once more, one at a time: so the one at fault is known by name, and no other is lost. One
that was graded, and only word of it was lost, is not graded twice and counts as graded in this run.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import multiprocessing.forkserver
import os
import shutil
import signal
import socket
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    ProcessPoolExecutor,
    wait,
)
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from types import FrameType

from autograder.bounded.worker import WATCHER
from autograder.commands.grade import Result, Task, busy, give_up, grade
from autograder.errors import CourseError
from autograder.execution.template import share_template, template_control
from autograder.gradebook.database import is_sqlite, shown

DIED = "its grading process died twice (killed, or out of memory)"

STOP_SECONDS = 15.0
"""How long a process that has been told to stop may take to put its things away."""

CLOCK_TICK = 0.1
"""By how many seconds a file's time may be behind the clock when it is written."""

CONNECT_SECONDS = 10
"""How long to wait for a Dask scheduler and its first worker."""

CLUSTER_TASKS = 1000
"""How many tasks are handed to a cluster at a time; it sees to its workers itself."""


@dataclass(frozen=True)
class Backend:
    """Where tasks are done."""

    opened: Callable[[int], AbstractContextManager[Executor]]
    """Opens an executor with that many workers; leaving it by an exception ends what it does."""
    jobs: int
    """How many tasks may be there at a time."""
    work: Callable[[Task], Result] = grade
    """What does a task there."""


def results(tasks: Sequence[Task], backend: Backend) -> Generator[Result, None, None]:
    """Yield the result of every task, in the order in which they end."""
    waiting = deque(tasks)
    begun = time.time() - CLOCK_TICK
    while waiting:
        with backend.opened(backend.jobs) as executor:
            lost = yield from _submit(waiting, executor, backend)
        for task in lost:
            with backend.opened(1) as executor:
                once_more = deque([replace(task, begun=begun)])
                again = yield from _submit(once_more, executor, backend)
            if again:
                yield give_up(task, DIED)


def _submit(
    waiting: deque[Task], executor: Executor, backend: Backend
) -> Generator[Result, None, list[Task]]:
    """Do the tasks until none waits, or the executor is broken.

    Returns:
        The tasks that were there when it broke.
    """
    running: dict[Future[Result], Task] = {}
    lost: list[Task] = []
    broken = False
    while running or (waiting and not broken):
        while waiting and not broken and len(running) < backend.jobs:
            try:
                future = executor.submit(backend.work, waiting[0])
            except BrokenExecutor:
                broken = True
            else:
                running[future] = waiting.popleft()
        for future in wait(running, return_when=FIRST_COMPLETED).done:
            task = running.pop(future)
            try:
                yield future.result()
            except BrokenExecutor:
                broken = True
                lost.append(task)
            except CancelledError:
                yield give_up(task, "the cluster has cancelled it")
            except Exception as error:
                yield give_up(task, f"{type(error).__name__}: {error}")
    return lost


def here(tasks: Sequence[Task]) -> Generator[Result, None, None]:
    """Yield the result of every task, done in this process one after the other."""
    for task in tasks:
        yield grade(task)


# Processes of this machine ----------------------------------------------------------------------


@contextlib.contextmanager
def local_processes(jobs: int) -> Iterator[Backend]:
    """Provide processes whose temporary files are in one folder, which is removed at the end.

    What they need is started at once and meanwhile: the process they are forked from, and the
    template of their sandboxes, which they share.
    """
    method = "forkserver" if sys.platform == "linux" else "spawn"
    context = multiprocessing.get_context(method)
    if method == "forkserver":
        # Imported once, and there for every process that is forked.
        context.set_forkserver_preload(["autograder.imports", "autograder.commands.pool"])
        multiprocessing.forkserver.ensure_running()
    template = template_control()
    with tempfile.TemporaryDirectory(prefix="ag-", ignore_cleanup_errors=True) as folder:

        @contextlib.contextmanager
        def opened(workers: int) -> Iterator[Executor]:
            others = set(multiprocessing.active_children())
            executor = ProcessPoolExecutor(workers, context, _begin, (folder, template))
            try:
                yield executor
            except BaseException:
                executor.shutdown(wait=False, cancel_futures=True)
                _stop([p for p in multiprocessing.active_children() if p not in others])
                raise
            executor.shutdown()

        yield Backend(opened, jobs, grade_until_ended)


def _stop(processes: Sequence[multiprocessing.process.BaseProcess]) -> None:
    for process in processes:
        process.terminate()
    deadline = time.monotonic() + STOP_SECONDS
    for process in processes:
        process.join(max(0.0, deadline - time.monotonic()))
        if process.is_alive():
            process.kill()
            process.join()


# In such a process ------------------------------------------------------------------------------


class _Ended(BaseException):
    """This process has been told to end; nothing but `grade_until_ended` catches it."""


class _Worker:
    """The grading process that this is."""

    folder = ""
    busy = False
    ending = False


def _begin(folder: str, template: socket.socket | None) -> None:
    """Set up a grading process."""
    if template is not None:
        share_template(template)
    _Worker.folder = tempfile.tempdir = folder
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the coordinator, which tells us
    signal.signal(signal.SIGTERM, _end)
    threading.Thread(target=_end_with_parent, name=WATCHER, daemon=True).start()


def _end(_signal: int, _frame: FrameType | None) -> None:
    if _Worker.ending:
        return
    _Worker.ending = True
    if not _Worker.busy:
        _leave()
    raise _Ended


def _end_with_parent() -> None:
    """End this process if the coordinator is killed; nobody else would."""
    parent = multiprocessing.parent_process()
    if parent is None:
        return
    parent.join()
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(STOP_SECONDS)
    _leave()


def _leave() -> None:
    parent = multiprocessing.parent_process()
    if parent is None or not parent.is_alive():
        shutil.rmtree(_Worker.folder, ignore_errors=True)
    os._exit(128 + signal.SIGTERM)


def grade_until_ended(task: Task) -> Result:
    """Grade in a process that may be told to end, which closes the sandbox first."""
    _Worker.busy = True
    try:
        result = grade(task)
    except _Ended:
        _leave()
        raise
    _Worker.busy = False
    if _Worker.ending:
        _leave()
    return result


# A cluster --------------------------------------------------------------------------------------


@contextlib.contextmanager
def cluster(address: str, db_url: str) -> Iterator[Backend]:
    """Provide the workers of a Dask cluster.

    Args:
        address: the scheduler's, for example ``tcp://10.0.0.1:8786``.
        db_url: the gradebook's address.

    Raises:
        CourseError: the gradebook is an SQLite file, or there is no such cluster.
    """
    if is_sqlite(db_url):
        raise CourseError(
            f"A cluster cannot share the SQLite gradebook {shown(db_url)}; set "
            "c.CourseDirectory.db_url in nbgrader_config.py to a PostgreSQL database, for example "
            "postgresql+psycopg://user@host/gradebook."
        )
    try:
        from distributed import Client
    except ImportError as error:
        raise CourseError(
            "--scheduler needs the Python package dask.distributed; run: "
            'pip install "distributed>=2024"'
        ) from error
    try:
        client = Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        raise CourseError(f"There is no Dask scheduler at {address}: {error}") from error
    with client:
        try:
            client.wait_for_workers(1, timeout=CONNECT_SECONDS)
        except TimeoutError as error:
            raise CourseError(
                f"The Dask scheduler at {address} has no workers; on each machine run: "
                f"dask worker {address} --nworkers auto --nthreads 1"
            ) from error

        @contextlib.contextmanager
        def opened(_: int) -> Iterator[Executor]:
            executor = client.get_executor(pure=False)
            try:
                yield executor
            except BaseException:
                executor.shutdown(wait=False)
                # What runs cannot be stopped from here and must not meet the next run.
                while any(client.run(busy).values()):
                    time.sleep(0.2)
                raise
            executor.shutdown()

        yield Backend(opened, CLUSTER_TASKS)
