"""Run commands of nbgrader's and of the engine's without starting Python anew for each.

Most of what a short command takes is the import of nbgrader and of what belongs to it. `run` has
the command forked from a process that has imported all that and done nothing else; the command
gets the folder, the arguments, the environment and the files that a new process would have.

Tests of how a command starts, or is stopped, start it themselves: see `graded_class.start`.
"""

from __future__ import annotations

import atexit
import importlib
import multiprocessing
import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

import autograder.imports  # noqa: F401  before what it keeps out
from autograder.execution.template import share_template, template_control

COMMANDS = {
    "nbgrader": "nbgrader.apps.nbgraderapp",
    "autograder.commands.cli": "autograder.commands.cli",
}
"""Where the ``main`` of each module is that can be run."""

PRELOADED = (
    *(
        "autograder.imports",
        *COMMANDS.values(),
        "autograder.plugins.feedback",
        "autograder.plugins.exchange",
    ),
    *("nbgrader.apps.autogradeapp", "nbgrader.apps.generatefeedbackapp", "nbgrader.apps.exportapp"),
    *("nbgrader.apps.generateassignmentapp", "nbgrader.apps.generatesolutionapp"),
)

_context = multiprocessing.get_context("forkserver" if sys.platform == "linux" else "spawn")


def run(
    folder: Path,
    module: str,
    *arguments: str,
    env: Mapping[str, str],
    timeout: float,
    stderr: int = subprocess.PIPE,
) -> subprocess.CompletedProcess[str]:
    """Run ``python -m MODULE ARGUMENTS`` to its end, as `subprocess.run` does.

    Args:
        folder: where it runs.
        module: one of `COMMANDS`.
        arguments: its arguments.
        env: its whole environment.
        timeout: seconds after which it is killed.
        stderr: ``subprocess.STDOUT`` to get all that is printed as one text.

    Raises:
        subprocess.TimeoutExpired: it did not end.
    """
    if sys.platform == "linux":
        _context.set_forkserver_preload(list(PRELOADED))
    with tempfile.TemporaryDirectory(prefix="said-") as name:
        out = Path(name, "out")
        err = out if stderr == subprocess.STDOUT else Path(name, "err")
        process = _context.Process(
            target=_become,
            args=(str(folder), module, arguments, dict(env), str(out), str(err)),
            kwargs={"template": template_control()},
        )
        process.start()
        try:
            process.join(timeout)
            if process.is_alive():
                raise subprocess.TimeoutExpired([module, *arguments], timeout)
            status = process.exitcode
        finally:
            process.kill()
            process.join()
            process.close()
        said = [path.read_text("utf-8", "replace") for path in (out, err)]
    return subprocess.CompletedProcess(
        [module, *arguments], status, said[0], None if err == out else said[1]
    )


def _become(
    folder: str,
    module: str,
    arguments: tuple[str, ...],
    env: dict[str, str],
    out: str,
    err: str,
    template: socket.socket | None,
) -> None:
    """Be the command, in the process that was forked for it."""
    os.setsid()
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
    for number, path in ((1, out), (2, err)):
        descriptor = os.open(path, flags)
        os.dup2(descriptor, number)
        os.close(descriptor)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.environ.clear()
    os.environ.update(env)
    os.chdir(folder)
    sys.path[0] = folder
    sys.argv = [f"python -m {module}", *arguments]
    if template is not None:
        share_template(template)
    try:
        importlib.import_module(COMMANDS[module]).main()
    finally:
        atexit._run_exitfuncs()
