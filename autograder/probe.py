"""What lessons import: ``from autograder.probe import case, probe`` (student's process)."""

from autograder.kernel.probe import (
    Case,
    EvidenceRecorded,
    case,
    default_rng,
    known_answers,
    probe,
)

__all__ = ["Case", "EvidenceRecorded", "case", "default_rng", "known_answers", "probe"]
