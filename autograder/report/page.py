"""Make the page of a class report: one HTML file that asks for nothing else."""

from __future__ import annotations

import functools
import io
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup, escape

from autograder.errors import CourseError
from autograder.files import write_whole
from autograder.report import words
from autograder.report.figures import ClassReport, histogram

BLUE, ORANGE, GRAY = "#24598a", "#a34700", "#595959"
"""Told apart with any color vision, and dark enough for text and lines on white."""

SIZE = (5.0, 2.6)
"""Inches of the histogram: so small that its letters can be read 400 pixels wide."""

MOST_TICKS = 7
"""The most labels of the score axis that do not touch each other."""


def write(report: ClassReport, file: Path) -> None:
    """Write the page of a report; the same report gives the same bytes.

    Raises:
        CourseError: the file cannot be written.
    """
    try:
        write_whole(file, page(report))
    except OSError as error:
        raise CourseError(f"The report cannot be written to {file}: {error.strerror}") from error


def page(report: ClassReport) -> str:
    """Return the page of a report as HTML."""
    submissions, scores = words.headlines(report)
    template = _environment().get_template("index.html.j2")
    return template.render(
        report=report,
        words=words,
        submissions=submissions,
        scores=scores,
        chart=_chart(report) if report.scores else "",
    )


@functools.cache
def _environment() -> jinja2.Environment:
    folder = Path(__file__).parent / "templates" / "class_report"
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(folder),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["breakable"] = _breakable
    return environment


def _breakable(name: str) -> Markup:
    """Return a name that may be broken after its underscores."""
    return Markup("_<wbr>").join(escape(part) for part in name.split("_"))


# The histogram ----------------------------------------------------------------------------------


def _chart(report: ClassReport) -> Markup:
    edges, counts = histogram(report.scores, report.max_score)
    svg = _drawn(edges, counts, report)
    title = escape(describe(edges, counts, report))
    head = f'<svg role="img" aria-labelledby="chart-title" viewBox="0 0 {72 * SIZE[0]:g} '
    head += f'{72 * SIZE[1]:g}" width="100%">\n <title id="chart-title">{title}</title>'
    return Markup(re.sub(r"\A.*?<svg[^>]*>", lambda _: head, svg, count=1, flags=re.DOTALL))


def describe(edges: Sequence[float], counts: Sequence[int], report: ClassReport) -> str:
    """Return the histogram in words."""
    bars = ", ".join(
        f"{low:g} to {high:g}: {count}"
        for low, high, count in zip(edges[:-1], edges[1:], counts, strict=True)
        if count
    )
    return (
        f"Histogram of {words.counted(len(report.scores), 'score')} from 0 to "
        f"{words.number(report.max_score)} points. Students by points: {bars}. "
        f"Mean {words.number(report.mean)}, median {words.number(report.median)}."
    )


def _drawn(edges: Sequence[float], counts: Sequence[int], report: ClassReport) -> str:
    """Return the histogram as SVG, whose letters are letters of the page's font."""
    # Loaded here, since no other command draws.
    import matplotlib
    from matplotlib.figure import Figure

    style: Any = {
        "svg.fonttype": "none",
        "svg.hashsalt": "class report",
        "font.family": "sans-serif",
        "font.sans-serif": ["DejaVu Sans"],
        "font.size": 10,
        "text.color": "#222222",
    }
    with matplotlib.rc_context():
        matplotlib.rcdefaults()  # whatever the reader's own matplotlibrc says
        matplotlib.rcParams.update(style)
        figure = Figure(figsize=SIZE, facecolor="none")
        axes = figure.add_axes((0.03, 0.22, 0.94, 0.62), facecolor="none")
        width = edges[1] - edges[0]
        bars = axes.bar(edges[:-1], counts, 0.9 * width, align="edge", color=BLUE)
        box = {"facecolor": "white", "edgecolor": "none", "pad": 0.8}  # the lines pass behind
        texts = [str(count) if count else "" for count in counts]
        axes.bar_label(bars, texts, padding=3, bbox=box, zorder=4)
        for value, name, color, dash in (
            (report.mean, "mean", ORANGE, "solid"),
            (report.median, "median", GRAY, "dashed"),
        ):
            label = f"{name} {words.number(value)}"
            axes.axvline(value or 0, color=color, linestyle=dash, linewidth=1.8, label=label)
        axes.legend(
            loc="lower left", bbox_to_anchor=(-0.02, 1.03), ncols=2, frameon=False, borderpad=0
        )
        axes.set(xlim=(edges[0], edges[-1]), ylim=(0, 1.15 * max(counts)), yticks=[])
        axes.set_xticks(edges[:: -(-len(edges) // MOST_TICKS)])
        axes.set_xlabel("points")
        axes.spines[["left", "right", "top"]].set_visible(False)
        stream = io.StringIO()
        metadata = dict.fromkeys(("Creator", "Date", "Format", "Type"))
        figure.savefig(stream, format="svg", metadata=metadata)
    return stream.getvalue()
