"""Put the figures of a class report into words, for the page and for the terminal."""

from __future__ import annotations

from dataclasses import dataclass

from autograder.report.figures import FEWEST, ClassReport, QuestionFigures

NOT_APPLICABLE = "n/a"

SHARES = "Full, part and zero: how many of the graded answers, and their share."

DISCRIMINATION = (
    "Discrimination: the corrected item-total correlation (Henrysson, 1963, Psychometrika 28). It "
    "is Pearson's correlation of a question's score with the score in all other graded questions; "
    "for a question of all or nothing, the point-biserial correlation. Near 1, those who do well "
    "elsewhere do well here; near 0 or below, look at the question again. A small class says "
    f"little. {NOT_APPLICABLE}: fewer than {FEWEST} graded answers, or no difference between them."
)


@dataclass(frozen=True)
class Headline:
    """One figure of the head of a report."""

    label: str
    value: str
    note: str = ""


def headlines(report: ClassReport) -> tuple[list[Headline], list[Headline]]:
    """Return the figures of the head of a report: those of the submissions and of the scores."""
    submissions = [
        Headline("Students", str(report.students)),
        Headline("Submitted", str(report.submitted)),
        Headline("Graded", str(report.graded)),
        Headline("Waiting for manual grading", str(report.waiting)),
        Headline("Not gradable", str(report.not_gradable), "in whole or in part"),
    ]
    if report.not_yet:
        submissions.append(Headline("Not graded yet", str(report.not_yet)))
    if report.outdated:
        submissions.append(Headline("Outdated", str(report.outdated), "to be graded again"))
    scores = [
        Headline("Mean", number(report.mean)),
        Headline("Median", number(report.median)),
        Headline("Highest", number(report.scores[-1] if report.scores else None)),
        Headline("Maximum", number(report.max_score)),
    ]
    return submissions, scores


def scores_note(report: ClassReport) -> str:
    """Say whose scores the mean, the median and the histogram are of."""
    if not report.scores:
        return "No submission has a score yet."
    text = (
        f"Mean, median and distribution are of {counted(len(report.scores), 'score')}: "
        "submissions that are graded, or wait for manual grading, after late penalties. "
        "What could not be graded or is outdated, and students without a submission, are left out."
    )
    if report.waiting_points:
        text += (
            f" Answers that wait for manual grading, worth up to {number(report.waiting_points)} "
            "points of a submission, add nothing yet."
        )
    return text


def lost_note(report: ClassReport) -> str:
    """Say how many of the lost points are explained by named mistakes."""
    if not report.lost:
        return "No graded answer lost points."
    other = report.lost - report.named - report.blank
    return (
        f"{counted(report.lost, 'graded answer')} lost points: {report.named} by a mistake that "
        f"the lesson names, {report.blank} left blank, {other} for other reasons."
    )


def not_graded(question: QuestionFigures) -> str:
    """Return how many answers of a question are not graded, and why; empty if all are."""
    reasons = {
        "waiting": question.waiting,
        "not gradable": question.not_gradable,
        "not handed in": question.not_submitted,
        "outdated": question.outdated,
    }
    return ", ".join(f"{count} {reason}" for reason, count in reasons.items() if count)


def correlation(value: float | None) -> str:
    """Return a correlation with two decimals."""
    return NOT_APPLICABLE if value is None else signed(f"{value:.2f}")


def number(value: float | None) -> str:
    """Return points with at most one decimal."""
    return NOT_APPLICABLE if value is None else signed(f"{value:.1f}".removesuffix(".0"))


def percent(share: float) -> str:
    """Return a share in whole percent."""
    return f"{share:.0%}"


def signed(text: str) -> str:
    """Return a formatted number with a real minus sign, and none before zero."""
    if not text.strip("-0."):
        text = text.removeprefix("-")
    return text.replace("-", "−")


def counted(count: int, noun: str) -> str:
    """Return a count with its noun."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
