"""Decide what of this machine is inside a sandbox, and where (grading process).

Inside there is a read-only system and Python, a private folder in memory for the submission's
files, and nothing else.
"""

from __future__ import annotations

import itertools
import os
import site
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import autograder
from autograder.execution import bubblewrap

WORK, FILES, SOCKETS, PACKAGE = "work", "submission", "sockets", "recorder"
"""Folders in the root of a sandbox: the student's, their files, the kernels' sockets, the recorder
if it is not forked.

Where the Python of this machine is below such a folder, another name is taken.
"""

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
CONFIGURATION = ("ld.so.cache", "ld.so.conf", "ld.so.conf.d", "fonts", "localtime", "alternatives")
"""What of ``/etc`` is inside: the dynamic linker's, fonts' and time zone's files."""

PYTHON = ("bin", "lib", "lib32", "lib64", "libexec", "include", "share", "etc", "pyvenv.cfg")
"""What of a Python's folder is inside. A course may be in that very folder, and is not."""

SOCKETS_BYTES = 2**20
"""Size of the folder of sockets, which has no files but the kernels' connection files."""

OWN_MOUNTS = ("/proc", "/dev", "/dev/shm", "/tmp")
"""Folders that a sandbox has of its own; what of the host's is needed below is mounted there."""


@dataclass(frozen=True)
class Setup:
    """What one sandbox is made for, and what it may use."""

    files: Path
    """Folder with the submission's files."""
    hidden: tuple[Path, ...]
    """Real folders that no student may see, wherever they are."""
    disk_bytes: int
    """Size of each folder that can be written to."""
    processes: int
    """Processes of a notebook at a time."""
    memory_bytes: int
    """Memory of all of them."""


@dataclass(frozen=True)
class Plan:
    """What is in a sandbox, and where."""

    arguments: list[str]
    """The command line, without the program that is to run in it."""
    last: list[str]
    """Its last options: what is nobody's can be written to by nobody."""
    work: Path
    """The student's folder inside, in memory."""
    files: Path
    """Where the submission's files are inside, to be copied from."""
    sockets: Path
    """Where the kernels' sockets are inside, in memory."""
    package: Path
    """Where the recorder's files are inside, if the server is started there."""


def plan(setup: Setup, info: int) -> Plan:
    """Return a sandbox in which nothing covers a folder of the host's that is needed there.

    The sandbox's own folders come first, the host's on top of them, at the paths that they have
    outside; links are made as they are outside. The folders in its root get free names.

    Args:
        setup: what it is made for.
        info: descriptor on which bubblewrap says what it has made.
    """
    program = bubblewrap.program()
    assert program is not None
    size = ("--size", str(setup.disk_bytes))
    command = [program, *bubblewrap.ISOLATION, "--die-with-parent", "--hostname", "sandbox"]
    command += ["--info-fd", str(info), "--clearenv", "--proc", "/proc", "--dev", "/dev"]
    command += [*size, "--tmpfs", "/dev/shm", *size, "--tmpfs", "/tmp"]
    # Its mappings would be memory that counts as no process's.
    command += ["--dev-bind", "/dev/null", "/dev/zero"]
    system = [Path(folder) for folder in SYSTEM]
    command += _system_mounts(system)
    folders, links = _python_paths()
    # Not even to be read: the course, and the folders of other submissions.
    hidden = [p for p in setup.hidden if any(o in p.parents for o in (*system, *folders))]
    bound = [
        p for p in folders if not any(_shows(o, p, hidden) for o in (*system, *folders) if o != p)
    ]
    command += _python_mounts(bound, hidden)
    for link, target in links.items():
        if link not in system and not any(_shows(o, link, hidden) for o in (*system, *bound)):
            command += ["--symlink", target, str(link)]
    work, inside, sockets, package = _free((WORK, FILES, SOCKETS, PACKAGE), [*bound, *links])
    command += [*size, "--tmpfs", str(work), "--ro-bind", str(setup.files), str(inside)]
    command += ["--size", str(SOCKETS_BYTES), "--tmpfs", str(sockets)]
    command += ["--dir", str(package), "--chdir", str(work)]
    closed = ["/", "/dev", *map(str, hidden)]
    last = [part for path in closed for part in ("--remount-ro", path)]
    return Plan(command, last, work, inside, sockets, package)


def _system_mounts(system: Iterable[Path]) -> list[str]:
    """Return the options for the system's folders and its configuration."""
    options = []
    for path in system:
        if path.is_symlink():
            options += ["--symlink", os.readlink(path), str(path)]
        elif path.is_dir():
            options += ["--ro-bind", str(path), str(path)]
    for name in CONFIGURATION:
        options += ["--ro-bind-try", f"/etc/{name}", f"/etc/{name}"]
    return options


def _python_mounts(bound: Iterable[Path], hidden: list[Path]) -> list[str]:
    """Return the options for Python's folders, and between them for those that they must not show.

    What of Python is below a hidden folder comes after it.
    """
    above: list[str] = []
    below: list[str] = []
    for path in bound:
        options = below if any(path.is_relative_to(h) for h in hidden) else above
        options += ["--ro-bind", str(path), str(path)]
    covers = [part for path in hidden for part in ("--tmpfs", str(path))]
    return [*above, *covers, *below]


def _shows(above: Path, path: Path, hidden: Iterable[Path]) -> bool:
    """Whether ``path`` is to be seen where ``above`` is."""
    return path.is_relative_to(above) and not any(
        h.is_relative_to(above) and path.is_relative_to(h) for h in hidden
    )


ROOT = Path(autograder.__file__).resolve().parent


def recorder_files() -> list[Path]:
    """Return the files of this package that a sandbox holds: those of the student's process."""
    faces = [ROOT / name for name in ("__init__.py", "evidence.py", "probe.py")]
    return [*faces, *sorted((ROOT / "kernel").glob("*.py"))]


def _free(names: Iterable[str], taken: Iterable[Path]) -> list[Path]:
    """Return folders in the root directory, each its own, that hold none of the taken paths."""
    taken, found = [*taken], []
    for name in names:
        numbered = (Path("/", f"{name}-{n}" if n else name) for n in itertools.count())
        path = next(p for p in numbered if not any(t.is_relative_to(p) for t in taken))
        taken.append(path)
        found.append(path)
    return found


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
