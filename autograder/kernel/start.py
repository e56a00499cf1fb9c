"""Start a kernel for one notebook (student's process, before any student code).

As a program: ``python -P -m autograder.kernel.start CONNECTION_FILE LIMITS``.

It imports the recorder and the libraries that it uses first, so that neither a file of the
student's called ``numpy.py`` nor a rebound function can take their place, sets the resource limits
and becomes an ordinary ipykernel.
"""

from __future__ import annotations

import builtins
import contextlib
import json
import os
import signal
import sys
import traceback
from typing import Any

DIED = "the kernel died while it ran"


def set_limits(limits: dict[str, int]) -> None:
    """Limit this process and its children; names as in ``resource.RLIMIT_*``, lower case."""
    try:
        import resource
    except ImportError:  # Windows has no such limits
        return
    for name, value in limits.items():
        which = getattr(resource, f"RLIMIT_{name.upper()}")
        hard = resource.getrlimit(which)[1]
        limit = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(which, (limit, limit))


def exit_in_words(code: int) -> str:
    """Return the exit status of a process, or the signal that ended it if ``code`` is negative."""
    if code >= 0:
        return f"exit status {code}"
    return signal.Signals(-code).name if -code in set(signal.Signals) else f"signal {-code}"


def how_it_ended(code: int) -> str:
    """Return in words how a kernel ended; ``code`` is negative if a signal ended it."""
    return f"{DIED} ({exit_in_words(code)})"


def run_kernel(connection_file: str, limits: dict[str, int]) -> None:
    """Become the kernel of ``connection_file``; returns when it has been shut down.

    What goes wrong before the first cell can be run is written to standard error. From then on
    that leads nowhere, so that no cell can write there.

    Raises:
        SystemExit: the kernel does not start.
    """
    words = os.dup(2)
    try:
        app = _initialized(connection_file, limits)
    except BaseException:
        os.write(words, traceback.format_exc()[-4000:].encode("utf-8", "replace"))
        raise SystemExit(1) from None
    _silence(words)
    app.start()


def _silence(words: int) -> None:
    """Let every descriptor of the file that ``words`` belongs to lead nowhere, and close that."""
    own = os.fstat(words)
    nothing = os.open(os.devnull, os.O_RDWR)
    numbers = map(int, os.listdir("/dev/fd")) if os.path.isdir("/dev/fd") else range(256)
    for descriptor in numbers:
        with contextlib.suppress(OSError):
            if os.path.samestat(os.fstat(descriptor), own):
                os.dup2(nothing, descriptor, os.get_inheritable(descriptor))
    os.close(nothing)
    os.close(words)


def _initialized(connection_file: str, limits: dict[str, int]) -> Any:
    from autograder.kernel import probe  # before student code can get in its way

    probe.look_around()
    set_limits(limits)
    sys.argv = [
        "ipykernel_launcher.py",
        "-f",
        connection_file,
    ]  # what students' code sees elsewhere
    from ipykernel.iostream import OutStream
    from ipykernel.kernelapp import IPKernelApp

    # Small messages, so that an endless print is noticed before it fills the grader's memory.
    OutStream.flush_interval = 0.05

    app: Any = IPKernelApp.instance()
    app.initialize(
        ["-f", connection_file, "--HistoryManager.enabled=False", "--IPKernelApp.log_level=50"]
    )
    app.shell.unobserve_all("exit_now")  # a stray exit() costs no later cell
    # Modules that come with the notebook: found last, so that none can take a library's place.
    sys.path.append("")
    # Without its built-ins no cell can be run, and a notebook may bind any name.
    namespace = app.shell.user_ns
    app.shell.events.register("pre_run_cell", lambda _: namespace.update(__builtins__=builtins))
    return app


if __name__ == "__main__":
    run_kernel(sys.argv[1], json.loads(sys.argv[2]))
