"""Import everything once and fork servers from that (template, and server in a sandbox).

Two kinds of process run this module:

* the *template*, one for all grading processes of a command, outside any sandbox. It imports the
  recorder and the libraries and runs no student code. For each submission it is sent the process
  that holds an empty sandbox open, the two ends of a pipe and a file for last words, and forks a
  server that enters that sandbox;
* the *server*, one for each submission, inside the sandbox and without any privilege. It forks a
  kernel for each notebook and ends it with all that it started. No process of a kernel's can reach
  it: it is in all of the sandbox's namespaces but that of processes. Where a sandbox cannot be
  entered, the server is started as a program inside it, imports everything itself, and is the
  first process there, which the system protects from the others' signals.

`autograder.kernel.server` says how a server is talked with.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import io
import json
import os
import shutil
import signal
import socket
import sys
from pathlib import Path
from typing import Any

from autograder.kernel.confine import enter, give_up_privileges, set_dumpable
from autograder.kernel.server import Server, answer

NEEDED = """
    autograder.probe autograder.kernel.start
    ipykernel.debugger ipykernel.iostream ipykernel.ipkernel ipykernel.kernelapp
    IPython.core.completerlib IPython.core.debugger IPython.core.logger IPython.core.oinspect
    IPython.extensions.storemagic matplotlib.backends.backend_agg matplotlib.pyplot
    PIL.PngImagePlugin pygments.formatters.terminal256 stack_data tornado.platform.asyncio
"""
"""The modules that a kernel imports on its way to a first figure and a first error.

The package's own are in no file where the kernel will be. Matplotlib's inline backend
is not one of them: it sets itself up in the shell that imports it.
"""


def _import_everything() -> None:
    import autograder.kernel.probe  # noqa: F401  before student code can get in its way

    for name in NEEDED.split():
        importlib.import_module(name)


def _rehearse() -> None:
    """Draw a figure and show an error, so that no kernel has to fill the libraries' caches.

    The figure is not pyplot's, which would choose its backend here.
    """
    from IPython.core.ultratb import VerboseTB
    from matplotlib.figure import Figure

    figure = Figure()
    figure.subplots().plot([0, 1])
    figure.savefig(io.BytesIO(), format="png")
    tracebacks: Any = VerboseTB()
    try:
        raise ValueError
    except ValueError:
        tracebacks.structured_traceback(*sys.exc_info())


def _serve(processes: int, memory: int, work: str, files: str, sockets: str) -> None:
    set_dumpable(False)
    os.chdir(work)
    shutil.copytree(files, ".", dirs_exist_ok=True)
    Server(Path(work), Path(sockets), processes, memory).serve()


def _serve_sandbox(holder: int, arguments: dict[str, Any], descriptors: list[int]) -> None:
    """Enter a sandbox and serve it; never returns."""
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.setsid()
        for number, descriptor in enumerate(descriptors):
            os.dup2(descriptor, number)
        os.closerange(3, 1024)
        status = os.open("/proc/self/status", os.O_RDONLY)
        try:
            enter(holder)
            give_up_privileges(status)
        except OSError as error:
            answer(closed=f"{type(error).__name__}: {error}")
            os._exit(0)
        os.close(status)
        _serve(**arguments)
    except BaseException as error:
        with contextlib.suppress(OSError):
            answer(failed=f"{type(error).__name__}: {error}")
    finally:
        os._exit(0)


def run_template(control: socket.socket, failure: str = "") -> None:
    """Fork servers as asked for on ``control`` until its other end is closed.

    Args:
        control: where requests come from, each with the two ends of a pipe and a file.
        failure: why none can be forked; every request is answered with it.
    """
    while True:
        data, descriptors, _, _ = socket.recv_fds(control, 65536, 3)
        if not data:
            return
        request = json.loads(data)
        if failure:
            with contextlib.suppress(OSError):
                os.write(descriptors[1], json.dumps({"closed": failure}).encode() + b"\n")
        elif os.fork() == 0:
            control.close()
            _serve_sandbox(**request, descriptors=list(descriptors))
        for descriptor in descriptors:
            os.close(descriptor)


def main(arguments: list[str]) -> None:
    """Be the template, given its end of a socket, or the server of the sandbox that this is in."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    inside = arguments[0] == "--inside"
    failure = ""
    try:
        _import_everything()
        _rehearse()
    except Exception as error:
        if inside:
            raise
        failure = f"{type(error).__name__}: {error}"
    # What is there now lives as long as the kernels do. A collection in one of them would only
    # write into pages that all of them share, and so copy them.
    gc.collect()
    gc.freeze()
    if inside:
        processes, memory, work, files, sockets = arguments[1:]
        _serve(int(processes), int(memory), work, files, sockets)
    else:
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for what is forked here
        run_template(socket.socket(fileno=int(arguments[0])), failure)


if __name__ == "__main__":
    main(sys.argv[1:])
