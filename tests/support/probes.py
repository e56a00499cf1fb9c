"""Makes probes and their references without a kernel."""

from __future__ import annotations

from typing import Any

from autograder.evidence import VERSION
from autograder.kernel.probe import Probe, capture, known_answers, probe
from autograder.verdict.outcome import Reference, read_reference

# Probes without a kernel ------------------------------------------------------------------------


KNOWN = ("mistakes", "edge_mistakes", "alternatives", "summary")


def made(*args: Any, **kwargs: Any) -> Probe:
    """Return the probe that ``probe`` and ``known_answers`` make, without running it."""
    with capture() as probes:
        known_answers(**{name: kwargs.pop(name) for name in KNOWN if name in kwargs})
        probe(*args, **kwargs)
    return probes[0]


def reference_of(one: Probe) -> Reference:
    """Return the reference of a probe whose probed answer is the right one."""
    evidence: dict[str, Any] = {"version": VERSION}
    evidence["cases"] = one.record(one.value if one.asks_value else one.function)
    for group in ("mistakes", "edge_mistakes", "alternatives"):
        evidence[group] = {
            name: one.record(answer) for name, answer in getattr(one.known, group).items()
        }
    return read_reference(one, evidence)
