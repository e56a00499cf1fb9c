"""``python -m examples``: make a class in demo/, grade it and show the scores and the reasons."""

from __future__ import annotations

import sys
from pathlib import Path

import click

import autograder.imports  # noqa: F401  before what it keeps out

# isort: split
from rich.console import Console
from rich.table import Table
from rich.text import Text

from autograder.course import find_course, load_course
from autograder.errors import CourseError, KernelStartError
from examples.demo import Outcome, run


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--course",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder with nbgrader_config.py  [default: the nearest one upwards].",
)
def main(course: Path | None) -> None:
    """Make a class of submissions in demo/, grade it and show the scores and the reasons."""
    console = Console()
    if not console.is_terminal:
        console = Console(width=140)
    try:
        found = load_course(course.resolve()) if course else find_course(Path.cwd())
        made = run(found, lambda line: console.print(Text(line, style="dim")))
    except (CourseError, KernelStartError) as error:
        click.echo(str(error), err=True)
        sys.exit(2)
    console.print(_table(made))
    console.print(Text(f"Grades:         {made.export.relative_to(found.root)}"))
    console.print(
        Text(
            f"Feedback pages: {made.feedback.relative_to(found.root)}/"
            f"<student>/{made.lesson}/<notebook>.html"
        )
    )
    console.print(Text(f"Class report:   {made.report.relative_to(found.root)}"))


def _table(made: Outcome) -> Table:
    """Return the table of the class: who, what was handed in, the score and why."""
    table = Table(title=f"\n{made.lesson}", title_justify="left", show_lines=True)
    table.add_column("Student", no_wrap=True)
    table.add_column("Handed in", max_width=30)
    table.add_column("Score", justify="right", no_wrap=True)
    table.add_column("By hand", justify="right", no_wrap=True)
    table.add_column("Points lost and why; what was repaired", overflow="fold")
    for line in made.lines:
        table.add_row(
            line.student.id,
            line.student.what,
            f"{line.score:g} / {line.possible:g}",
            f"{line.waiting:g} waiting" if line.waiting else "",
            Text("\n".join(line.reasons())),
        )
    return table


if __name__ == "__main__":
    main()
