"""Show how far the grading of a class is: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)
from rich.progress import Task as Bar
from rich.table import Table
from rich.text import Text

from autograder.commands.grade import BEFORE, FAILED, GRADED, NOT_GRADABLE, Result

PLAIN_LINES = 20
"""How many lines at most say how far a class is where there is no terminal."""


def rate(number: int, seconds: float) -> str:
    """Return how fast ``number`` submissions were, in words."""
    if not number or seconds <= 0:
        return ""
    per_second = number / seconds
    return f"{per_second:.1f}/s" if per_second >= 1 else f"{per_second * 60:.1f}/min"


class _Rate(ProgressColumn):
    def render(self, task: Bar) -> Text:
        """Return how fast it goes, from the first submission on."""
        return Text(rate(int(task.completed), task.elapsed or 0.0))


@contextlib.contextmanager
def shown(console: Console, total: int) -> Iterator[Callable[[Result], None]]:
    """Show progress while the block runs; call what it gets with every result."""
    if console.is_terminal:
        columns = (
            TextColumn("Grading"),
            BarColumn(),
            MofNCompleteColumn(),
            _Rate(),
            TimeRemainingColumn(elapsed_when_finished=True),
        )
        with Progress(*columns, console=console) as progress:
            bar = progress.add_task("", total=total)

            def advance(result: Result) -> None:
                _say_if_bad(progress.console, result)
                progress.advance(bar)

            yield advance
        return

    start = time.monotonic()
    done = 0

    def count(result: Result) -> None:
        nonlocal done
        done += 1
        _say_if_bad(console, result)
        if done * PLAIN_LINES // total > (done - 1) * PLAIN_LINES // total:
            seconds = time.monotonic() - start
            left = f", {seconds / done * (total - done):.0f} s left" if done < total else ""
            _line(console, f"{done} of {total}, {rate(done, seconds)}{left}")

    yield count


def _say_if_bad(console: Console, result: Result) -> None:
    if not result.bad:
        return
    _line(console, f"{result.student}: {result.status}: {result.why}", style="bold red")
    if result.status == FAILED:
        for line in result.log:
            if line != result.error:
                _line(console, f"    {' '.join(line.split())}", style="dim")


def _line(console: Console, text: str, style: str = "") -> None:
    console.print(Text(text, style=style), soft_wrap=True)


def summary(results: list[Result], seconds: float) -> Table:
    """Return the closing table of a run."""
    table = Table()
    for name in ("Students", "Graded", "Not gradable", "Failed", "Graded before"):
        table.add_column(name, justify="right")
    table.add_column("Seconds", justify="right")
    table.add_column("Rate", justify="right")
    counts = [
        sum(result.status == status for result in results)
        for status in (GRADED, NOT_GRADABLE, FAILED, BEFORE)
    ]
    now = len(results) - counts[-1]
    table.add_row(str(len(results)), *map(str, counts), f"{seconds:.1f}", rate(now, seconds))
    return table
