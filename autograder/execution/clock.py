"""The time that one notebook may take (grading and bounded process)."""

from __future__ import annotations

import time


class Clock:
    """The time that one notebook may take, from reading it to its verdicts."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    @property
    def left(self) -> float:
        """Seconds that are left; negative after the end."""
        return self._end - time.monotonic()

    def spend(self, seconds: float) -> None:
        """Take away seconds that have been used before the clock was started."""
        self._end -= seconds
