"""Start a kernel for one notebook: ``python -P -m autograder.kernel CONNECTION_FILE LIMITS``.

Runs in the sandbox, before any student code. It imports the recorder and the libraries that it
uses first, so that neither a file of the student's called ``numpy.py`` nor a rebound function can
take their place, sets the resource limits and becomes an ordinary ipykernel.
"""

from __future__ import annotations

import builtins
import json
import sys
from typing import Any


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


def run_kernel(connection_file: str, limits: dict[str, int]) -> None:
    """Become the kernel of ``connection_file``; returns when it has been shut down."""
    import autograder.probe  # noqa: F401  before student code can get in its way

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
    app.start()


if __name__ == "__main__":
    run_kernel(sys.argv[1], json.loads(sys.argv[2]))
