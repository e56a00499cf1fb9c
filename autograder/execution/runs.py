"""What running the cells of a notebook gave, unopened (grading process)."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import Any

from nbformat.notebooknode import NotebookNode


class End(enum.Enum):
    """How the execution of a cell ended."""

    DONE = "done"
    """It ran to its end, or raised an exception."""
    TIMEOUT = "timeout"
    """It reached its time limit and was interrupted; the kernel lives."""
    FLOOD = "flood"
    """It sent more output than allowed and was interrupted; the kernel lives."""
    HUNG = "hung"
    """It reached a limit and ignored the interrupt; the kernel was killed."""
    DIED = "died"
    """The kernel ended while it ran."""

    @property
    def fatal(self) -> bool:
        """Whether the kernel is gone."""
        return self in (End.HUNG, End.DIED)


@dataclass
class CellRun:
    """What executing a cell gave."""

    end: End = End.DONE
    outputs: list[NotebookNode] = field(default_factory=list)
    """Notebook outputs, evidence excluded."""
    evidence: list[Any] = field(default_factory=list)
    """Parsed JSON of each display output with the evidence MIME type, unchecked."""
    reason: str = ""
    """Which limit was reached, in words, for the ends other than done."""

    def numbered(self, count: int) -> list[NotebookNode]:
        """Return the outputs after giving results the execution count of their cell."""
        for output in self.outputs:
            if output.output_type == "execute_result":
                output.execution_count = count
        return self.outputs
