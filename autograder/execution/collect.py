"""Turn the messages of a cell into bounded outputs and evidence (grading process)."""

from __future__ import annotations

import weakref
from typing import Any

import nbformat
from nbformat.notebooknode import NotebookNode

from autograder.evidence import MIME
from autograder.execution.runs import CellRun

MAX_KEPT_BYTES = 128 * 2**20
"""How much of what a submission's cells send is kept at a time; the rest is dropped."""

RESERVE_BYTES = 2**18
"""How much evidence of a cell is kept all the same."""

MAX_SAME_DISPLAYS = 100
"""How many outputs with one display identifier can be redrawn."""


class Kept:
    """How much of what cells sent is kept, over all kernels of a submission."""

    def __init__(self) -> None:
        self._bytes = 0

    @property
    def left(self) -> int:
        """How many bytes more may be kept."""
        return max(0, MAX_KEPT_BYTES - self._bytes)

    def add(self, run: CellRun, size: int) -> None:
        """Count ``size`` bytes for as long as ``run`` is there."""
        self._bytes += size
        weakref.finalize(run, self._forget, size).atexit = False

    def _forget(self, size: int) -> None:
        self._bytes -= size


class Collector:
    """Turns the messages of one cell into bounded notebook outputs."""

    def __init__(self, run: CellRun, limit: int, evidence_limit: int, keep: int) -> None:
        """Prepare for a cell.

        Args:
            run: what to add to.
            limit: bytes of output beyond which the cell floods.
            evidence_limit: the same of evidence.
            keep: how many bytes of all that to keep.
        """
        self._run = run
        self._limit = limit
        self._evidence_limit = evidence_limit
        self._keep = keep
        self.kept = 0
        self._bytes = 0
        self._earlier_bytes = 0
        self._evidence_bytes = 0
        self._clear_next = False
        self._display_ids: dict[str, list[NotebookNode]] = {}
        self._texts: list[str] = []

    @property
    def flooded(self) -> bool:
        """Whether more came than may come."""
        most = max(self._bytes, self._earlier_bytes)
        return most > self._limit or self._evidence_bytes > self._evidence_limit

    def count(self, message: dict[str, Any], *, earlier: bool) -> None:
        """Count a message that is malformed, or that something from an earlier cell sent.

        The two have limits of their own: what a thread goes on to print, or what was under way
        when a cell ended, takes nothing from the output of the cells after it.
        """
        if earlier:
            self._earlier_bytes += message["size"]
        else:
            self._bytes += message["size"]

    def take(self, message: dict[str, Any]) -> bool:
        """Add one message of the cell; return whether it was the last."""
        kind, content, size = message["msg_type"], message["content"], message["size"]
        if kind == "status":
            self._bytes += size
            return bool(content.get("execution_state") == "idle")
        data = content.get("data")
        if kind == "display_data" and isinstance(data, dict) and MIME in data:
            self._evidence_bytes += size
            if not self.flooded and self.kept + size <= max(self._keep, RESERVE_BYTES):
                self.kept += size
                self._run.evidence.append(data[MIME])
            return False
        self._bytes += size
        if self.flooded:
            return False
        if kind == "clear_output":
            if content.get("wait"):
                self._clear_next = True
            else:
                self._clear()
        elif kind in ("stream", "display_data", "execute_result", "error"):
            self._add(message)
        elif kind == "update_display_data":
            self._update(message)
        return False

    def _clear(self) -> None:
        self._run.outputs.clear()
        self._texts.clear()

    def _output(self, message: dict[str, Any]) -> NotebookNode | None:
        """Return the output in a message, if it is one that can be kept, and count it as kept."""
        content = message["content"]
        if message["msg_type"] == "stream" and not isinstance(content.get("text"), str):
            return None  # the notebook format allows a list of lines, a kernel sends none
        try:
            output = nbformat.v4.output_from_msg(message)
            nbformat.validate(output, ref="output", version=4)
        except Exception:  # not an output that a notebook can hold
            return None
        if self.kept + message["size"] > self._keep:
            return None
        self.kept += message["size"]
        return output

    def _add(self, message: dict[str, Any]) -> None:
        output = self._output(message)
        if output is None:
            return
        if self._clear_next:
            self._clear()
            self._clear_next = False
        outputs = self._run.outputs
        last = outputs[-1] if outputs else None
        if (
            output.output_type == "stream"
            and last is not None
            and last.output_type == "stream"
            and last.name == output.name
        ):
            self._texts.append(output.text)
            return
        self._join()
        outputs.append(output)
        display_id = _display_id(message["content"])
        if display_id is not None:
            shown = self._display_ids.setdefault(display_id, [])
            if len(shown) < MAX_SAME_DISPLAYS:
                shown.append(output)

    def _join(self) -> None:
        """Put the texts that came after the last stream output's first into it."""
        if self._texts:
            last = self._run.outputs[-1]
            last.text = "".join([last.text, *self._texts])
            self._texts.clear()

    def _update(self, message: dict[str, Any]) -> None:
        """Redraw outputs of this very cell; other cells' outputs are none of its business."""
        display_id = _display_id(message["content"])
        header = {**message["header"], "msg_type": "display_data"}
        output = self._output({**message, "header": header, "msg_type": "display_data"})
        if output is None or display_id is None:
            return
        for shown in self._display_ids.get(display_id, []):
            shown.data, shown.metadata = output.data, output.metadata

    def close(self) -> None:
        """Finish: apply the carriage returns of progress bars, as a terminal does."""
        self._join()
        for output in self._run.outputs:
            if output.output_type == "stream":
                output.text = _as_on_a_terminal(output.text)


def _display_id(content: dict[str, Any]) -> str | None:
    transient = content.get("transient")
    found = transient.get("display_id") if isinstance(transient, dict) else None
    return found if isinstance(found, str) else None


def _as_on_a_terminal(text: str) -> str:
    """Return a text without what carriage returns have covered."""
    text = text.replace("\r\n", "\n")
    if "\r" not in text:
        return text
    lines = text.split("\n")
    return "\n".join(line.rstrip("\r").rpartition("\r")[2] for line in lines)
