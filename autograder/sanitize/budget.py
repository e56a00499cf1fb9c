"""Limit the time in which a text is rendered (bounded process; grading process for feedback)."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable
from typing import TypeVar

CELL_SECONDS = 1.0
"""CPU-seconds that one cell may take to be rendered; an ordinary one takes some milliseconds."""

PAGE_SECONDS = 10.0
"""CPU-seconds that the cells of one page may take together to be rendered."""

T = TypeVar("T")

UNTIMED_LENGTH = 5_000
"""Characters that are rendered where no timer can be set; the worst of them takes a second."""


class TooSlow(BaseException):
    """Work took longer than allowed; no ``except Exception`` of a library may swallow it."""


class Budget:
    """The CPU-seconds that the cells of one page may take to be rendered."""

    def __init__(self, seconds: float = PAGE_SECONDS, cell: float = CELL_SECONDS) -> None:
        self._left = seconds
        self._cell = cell

    def spend(self, work: Callable[[str], T], text: str) -> T:
        """Return ``work(text)``.

        Raises:
            TooSlow: it takes longer than one cell may, or than is left for the page. Where no timer
                can be set, outside the main thread, a long text counts as slow.
        """
        seconds = min(self._cell, self._left)
        if seconds <= 0:
            raise TooSlow
        start = time.process_time()
        try:
            return _within(seconds, work, text)
        finally:
            self._left -= time.process_time() - start


def _within(seconds: float, work: Callable[[str], T], text: str) -> T:
    main = threading.current_thread() is threading.main_thread()
    if not (main and hasattr(signal, "setitimer")):
        if len(text) > UNTIMED_LENGTH:
            raise TooSlow
        return work(text)
    running = [True]

    def stop(*_: object) -> None:
        if running:
            raise TooSlow

    before = signal.signal(signal.SIGVTALRM, stop)
    try:
        try:
            # Again and again, since an exception in a finalizer is lost.
            signal.setitimer(signal.ITIMER_VIRTUAL, seconds, 0.1)
            return work(text)
        finally:
            running.clear()
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
