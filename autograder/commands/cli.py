"""The ``autograder`` command (a process of its own, which grades unless others do)."""

from __future__ import annotations

import contextlib
import datetime
import functools
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

import autograder.imports

# isort: split
from autograder.authoring import build as building
from autograder.authoring import new
from autograder.authoring.check import QuestionReport, check
from autograder.authoring.new import NewQuestion, parse_question
from autograder.commands import grade as grading
from autograder.commands import lab, pool, progress
from autograder.commands.extend import extend
from autograder.commands.grade import Result, Task
from autograder.course import Course, find_course, load_course
from autograder.errors import CourseError, KernelStartError
from autograder.gradebook import lateness
from autograder.report import figures as reporting
from autograder.report import page as report_page
from autograder.report import tables as report_tables


def _console() -> Console:
    console = Console()
    return console if console.is_terminal else Console(width=140)


class _Group(click.Group):
    """Turns the errors that people can mend into one sentence and exit status 2."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except (CourseError, KernelStartError) as error:
            click.echo(str(error), err=True)
            sys.exit(2)


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(autograder.__version__, prog_name="autograder")
@click.option(
    "--course",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder with nbgrader_config.py  [default: the nearest one upwards].",
)
@click.pass_context
def main(ctx: click.Context, course: Path | None) -> None:
    """Write, check and grade lessons whose hidden cells compare evidence with the solution.

    Authors start with "new", run "check" while writing and "build" before a release.
    Instructors grade with "grade" or with nbgrader's own commands: nbgrader autograde LESSON.
    """
    if course:
        ctx.obj = functools.partial(load_course, course.resolve())
    else:
        ctx.obj = functools.partial(find_course, Path.cwd())


def pass_course(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the course, read only when the command runs: its help needs none."""

    @click.pass_obj
    @functools.wraps(command)
    def run(load: Callable[[], Course], *args: Any, **kwargs: Any) -> None:
        command(load(), *args, **kwargs)

    return run


def _questions(_: click.Context, __: click.Parameter, values: tuple[str, ...]) -> list[NewQuestion]:
    try:
        return [parse_question(value) for value in values]
    except ValueError as error:
        raise click.BadParameter(str(error)) from error


@main.command("new")
@click.argument("lesson")
@click.argument("notebook")
@click.argument(
    "questions", nargs=-1, required=True, callback=_questions, metavar="QUESTION[:POINTS]..."
)
@pass_course
def new_command(course: Course, lesson: str, notebook: str, questions: list[NewQuestion]) -> None:
    """Start NOTEBOOK of LESSON, with the questions given and a small example in each.

    It passes "autograder check" from the start; replace what stands in its cells.
    """
    path = new.write(course, lesson, notebook, questions)
    click.echo(f"Wrote {path.relative_to(course.root)}. After each change: autograder check -v")


@main.command("check")
@click.argument("lesson", required=False)
@click.option("-v", "--verbose", is_flag=True, help="Show which case catches each mistake.")
@pass_course
def check_command(course: Course, lesson: str | None, verbose: bool) -> None:
    """Prove that the checks of LESSON (default: all) are strong and fair.

    For each question: the solution earns full marks, the blank release nothing, every known
    mistake is caught and every alternative accepted. And the release holds nothing of a solution,
    in no text, output, picture or metadata. Exit status 1 if not.
    """
    if not _check(course, lesson, verbose):
        sys.exit(1)


def _check(course: Course, lesson: str | None, verbose: bool) -> bool:
    console = _console()
    good = True
    for found in course.chosen(lesson):
        start = time.monotonic()
        reports = list(check(course, found))
        console.print(_check_table(found.name, reports))
        if verbose:
            _say_catches(console, reports)
        for report in reports:
            for problem in report.problems:
                good = False
                text = f"{report.question.notebook}, {report.question.grade_id}: {problem}."
                console.print(Text(f"Weak check: {text}", style="bold red"))
        for leak in building.leaking(course, found.name):
            good = False
            console.print(Text(f"Leak: {leak}.", style="bold red"))
        points = sum(report.question.points for report in reports)
        console.print(
            f"{len(reports)} questions, {points:g} points, {time.monotonic() - start:.1f} s\n"
        )
    return good


def _check_table(lesson: str, reports: list[QuestionReport]) -> Table:
    table = Table(title=lesson, title_justify="left")
    for name in ("Notebook", "Question"):
        table.add_column(name)
    for name in ("Points", "Solution", "Blank", "Cases", "Mistakes caught", "Alternatives"):
        table.add_column(name, justify="right")
    for report in reports:
        question = report.question
        if question.by_hand:
            table.add_row(question.notebook, question.name, f"{question.points:g}", "by hand")
            continue
        table.add_row(
            question.notebook,
            question.name,
            f"{question.points:g}",
            f"{report.solution:g}",
            f"{report.blank:g}",
            str(report.cases),
            f"{sum(c.points < question.points for c in report.mistakes)} of {len(report.mistakes)}",
            str(len(report.alternatives)),
        )
    return table


def _say_catches(console: Console, reports: list[QuestionReport]) -> None:
    for report in reports:
        console.print(Text(f"\n{report.question.name}", style="bold"))
        for caught in report.mistakes:
            where = f"{caught.case!r}" if caught.case else "NO CASE"
            console.print(Text(f"  {caught.points:g} points, by {where}: {caught.description}"))
        for name in report.alternatives:
            console.print(Text(f"  full marks: {name}"))


@main.command("build")
@click.argument("lesson", required=False)
@click.option(
    "--check",
    "only_check",
    is_flag=True,
    help="Build nothing; exit 1 if a generated file is stale.",
)
@pass_course
def build_command(course: Course, lesson: str | None, only_check: bool) -> None:
    """Check LESSON (default: all), then make release/ and solutions/ and update the gradebook.

    Building twice changes nothing, and a build that fails changes nothing. With submissions, text,
    solutions, cases and points may change, and questions may be added; then grade again.
    """
    if only_check:
        old = [file for each in course.chosen(lesson) for file in building.stale(course, each.name)]
        for file in old:
            click.echo(f"{file} is not what lessons/ builds; run: autograder build")
        sys.exit(1 if old else 0)
    for each in course.chosen(lesson):
        building.require_compatible(course, each)
    if not _check(course, lesson, verbose=False):
        click.echo("Nothing was built, since a check is weak or a solution leaks.", err=True)
        sys.exit(1)
    for each in course.chosen(lesson):
        for folder in building.build(course, each.name):
            click.echo(f"Built {folder.relative_to(course.root)}")


@main.command("grade")
@click.argument("lesson")
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    help="Processes to grade in; 1 grades in this one  [default: one per processor].",
)
@click.option("--scheduler", metavar="ADDRESS", help="Grade on this Dask cluster, tcp://HOST:PORT.")
@click.option("--student", metavar="ID", help="Grade this student only.")
@click.option("--force", is_flag=True, help="Grade those again that have been graded.")
@pass_course
def grade_command(
    course: Course,
    lesson: str,
    jobs: int | None,
    scheduler: str | None,
    student: str | None,
    force: bool,
) -> None:
    """Grade the submissions of LESSON, several at a time.

    Does what "nbgrader autograde LESSON" does, with the same scores and files. What has been graded
    is left alone; after Ctrl-C or a crash the same command goes on where it was. Exit status 1 if a
    submission could not be graded, 130 after Ctrl-C.
    """
    if jobs and scheduler:
        raise click.UsageError("--jobs is for this machine and --scheduler for a cluster.")
    console = _console()
    tasks: list[Task] = []
    done: list[Result] = []
    start = time.monotonic()
    try:
        with contextlib.ExitStack() as stack:
            backend = None
            workers = jobs or os.cpu_count() or 1
            if scheduler:
                backend = stack.enter_context(pool.cluster(scheduler, course.coursedir.db_url))
            elif workers > 1 and student is None:
                backend = stack.enter_context(pool.local_processes(workers))
            tasks = grading.tasks(course, lesson, student, force)
            show = stack.enter_context(progress.shown(console, len(tasks)))
            running = pool.results(tasks, backend) if backend else pool.here(tasks)
            for result in stack.enter_context(contextlib.closing(running)):
                done.append(result)
                show(result)
    except KeyboardInterrupt:
        click.echo(
            f"Stopped after {len(done)} of {len(tasks)}. To go on, run the same command again"
            f"{' without --force' if force else ''}.",
            err=True,
        )
        sys.exit(130)
    console.print(progress.summary(done, time.monotonic() - start))
    for student, why in grading.outdated(course, lesson):
        console.print(Text(f"{student}: outdated: {why}", style="bold red"), soft_wrap=True)
    if any(result.bad for result in done):
        sys.exit(1)


def _duration(_: click.Context, __: click.Parameter, value: str) -> datetime.timedelta:
    try:
        return lateness.parse_duration(value)
    except ValueError as error:
        raise click.BadParameter(str(error)) from error


@main.command("extend")
@click.argument("lesson")
@click.argument("student")
@click.argument("time", callback=_duration)
@pass_course
def extend_command(course: Course, lesson: str, student: str, time: datetime.timedelta) -> None:
    """Give STUDENT more TIME for LESSON than the due date: 2d, 36h, 1w2d, 90m.

    It takes the place of an extension given before; 0 takes that back. It counts at the next
    "autograder grade", also for what has been graded.
    """
    due = extend(course, lesson, student, time)
    if due is None:
        click.echo(f"{student} has no extension of {lesson}, which has no due date.")
    else:
        click.echo(
            f"{student} has until {due:%Y-%m-%d %H:%M:%S} UTC for {lesson}. "
            f"It counts at the next: autograder grade {lesson}"
        )


@main.command("report")
@click.argument("lesson")
@click.option("--names", is_flag=True, help="Name the students, by their ids.")
@click.option(
    "--output",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the page here  [default: reports/LESSON.html].",
)
@pass_course
def report_command(course: Course, lesson: str, names: bool, output: Path | None) -> None:
    """Tell how the class did in LESSON, here and on a page to look at.

    The page is one HTML file: scores, marks and discrimination by question, the commonest
    mistakes, and what became of submissions. It names no student unless asked to.
    """
    found = reporting.read(course, lesson, names)
    file = output or reporting.default_file(course, lesson)
    report_page.write(found, file)
    console = _console()
    for table in report_tables.tables(found):
        console.print(table)
    console.print(Text(f"\nClass report: {_from_here(file)}"), soft_wrap=True)


def _from_here(file: Path) -> Path:
    file, here = file.absolute(), Path.cwd()
    return file.relative_to(here) if file.is_relative_to(here) else file


@main.command("lab", context_settings={"ignore_unknown_options": True})
@click.option(
    "--role",
    type=click.Choice([role.value for role in lab.Role]),
    default=lab.Role.STUDENT.value,
    show_default=True,
    help="Who works: a student in work/, or an instructor in the whole course, with Formgrader.",
)
@click.option("--port", type=click.IntRange(1, 65535), help="Port to serve at  [default: 8888].")
@click.option("--no-browser", is_flag=True, help="Print the address and open no browser.")
@click.argument("options", nargs=-1, type=click.UNPROCESSED)
@pass_course
def lab_command(
    course: Course, role: str, port: int | None, no_browser: bool, options: tuple[str, ...]
) -> None:
    """Open JupyterLab, until Ctrl-C.

    For a student, copies the release to work/ first: what is new is added, and what is there is
    never touched. To start a notebook again, move it away and run the command again. Further
    OPTIONS go to "jupyter lab".
    """
    who = lab.Role(role)
    if who is lab.Role.STUDENT:
        done = lab.copy_release(course)
        for path in done.added:
            click.echo(f"Added {path}")
        if done.kept:
            click.echo(f"Left alone what was in {lab.WORK}/: {len(done.kept)} files")
        for path in done.blocked:
            click.echo(f"Added nothing to {path}, which is a link or not a folder")
    given = [f"--port={port}"] if port else []
    given += ["--no-browser"] if no_browser else []
    lab.serve(course, who, [*given, *options])


if __name__ == "__main__":
    main()
