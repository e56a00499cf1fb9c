"""A kernel starts wherever Python and the folder for temporary files are, and says why if not."""

from __future__ import annotations

import logging
import os
import re
import site
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

from autograder.errors import KernelStartError
from autograder.execution import bubblewrap, mounts, sandbox
from autograder.execution.client import CannotEnterError, SandboxClient
from autograder.execution.sandbox import SandboxPolicy
from autograder.execution.template import close_template

ROOT = Path(__file__).resolve().parents[3]

WAYS = ("forked", "inside", "ordinary")
"""The three ways in which a kernel is started."""


def take(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let kernels be started in one way only."""
    if way == "inside":

        def refuse(*_: object) -> None:
            raise CannotEnterError("not here")

        monkeypatch.setattr(SandboxClient, "_enter", refuse)
    elif way == "ordinary":
        monkeypatch.setattr(bubblewrap, "program", lambda: None)


@pytest.fixture
def settings() -> SandboxPolicy:
    """A sandbox's settings, whose warnings go to a log of their own."""
    found = SandboxPolicy()
    found.log = logging.getLogger("test_places")
    return found


# Places that meet the sandbox's own folders -----------------------------------------------------

STARTS = """
import logging, sys, tempfile
from pathlib import Path
from autograder.execution import bubblewrap, mounts
from autograder.execution.client import CannotEnterError, SandboxClient
from autograder.execution.sandbox import SandboxPolicy

name = Path(sys.prefix).parts[1]
# As if those folders were the host's.
mounts.WORK = mounts.FILES = mounts.SOCKETS = mounts.PACKAGE = name
server = SandboxClient._enter
def refuse(*_):
    raise CannotEnterError("not here")

for way in ("forked", "inside", "ordinary"):
    SandboxClient._enter = refuse if way == "inside" else server
    if way == "ordinary":
        bubblewrap.program = lambda: None
    settings = SandboxPolicy()
    settings.log = logging.getLogger("quiet")
    settings.log.setLevel(logging.CRITICAL)
    with tempfile.TemporaryDirectory() as files:
        Path(files, "data.txt").write_text("seen")
        with settings.opened(Path(files)) as opened:
            session = opened.start(10**6)
            code = "import numpy, sys, subprocess; print(open('data.txt').read(), sys.prefix);"
            code += "print(subprocess.run([sys.executable, '-c', 'print(6)'], text=True,"
            code += " capture_output=True).stdout)"
            print(way, session.run(code, 60).outputs[0].text.split("\\n"))
            session.close()
print(sorted(path.name for path in Path(tempfile.gettempdir()).iterdir()))
"""


def environment_at(place: Path) -> Path:
    """Make a Python environment that shares this one's packages, and return its Python."""
    packages = place / "lib" / f"python{sys.version_info[0]}.{sys.version_info[1]}"
    packages.mkdir(parents=True)
    (packages / "site-packages").symlink_to(site.getsitepackages()[0])
    (place / "bin").mkdir()
    (place / "bin" / "python").symlink_to(sys.executable)
    home = Path(sys.base_prefix, "bin")
    (place / "pyvenv.cfg").write_text(f"home = {home}\ninclude-system-site-packages = false\n")
    return place / "bin" / "python"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("environment", "temporary"),
    [
        ("course/.venv", "tmp"),
        ("a course/with é and space", "a folder/é"),
        ("link/.venv", "link/tmp"),
        (".", "tmp"),
        ("course/.venv", "course/.venv/lib/tmp"),
        ("course/.venv", "/dev/shm"),
        ("/dev/shm", "tmp"),
        ("course", "x" * 100),
    ],
    ids=[
        "in the course",
        "space and accent",
        "links",
        "the course itself",
        "temporary files inside",
        "temporary files in memory",
        "in memory",
        "long path",
    ],
)
def test_a_kernel_starts_wherever_python_is(environment, temporary, tmp_path, tmp_path_factory):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    made: list[Path] = []
    try:
        for name in (environment, temporary):
            path = tmp_path / name
            if name == "/dev/shm":
                path = Path(name, f"ag-test-{os.getpid()}")
                made.append(path)
            path.mkdir(parents=True, exist_ok=True)
            if name == environment:
                python = environment_at(path)
            place = path
        done = subprocess.run(
            [python, "-c", STARTS],
            env={**os.environ, "TMPDIR": str(place), "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.stderr == ""
        prefix = str(python.parents[1])
        lines = [f"{way} {[f'seen {prefix}', '6', '', '']}" for way in WAYS]
        *ways, left = done.stdout.splitlines()
        assert ways == lines
        assert left == "[]"
    finally:
        for path in made:
            subprocess.run(["rm", "-rf", str(path)], check=True)


def test_folders_of_the_sandboxs_own_take_a_name_that_is_free():
    taken = [Path("/work/course/.venv"), Path("/work-1"), Path("/workshop")]
    found = mounts._free(["work", "submission", "work"], taken)
    assert found == [Path("/work-2"), Path("/submission"), Path("/work-3")]


def test_nothing_in_the_root_of_a_sandbox_can_be_written(settings, tmp_path):
    code = """
for place in ("/", "/dev", "/usr", "/submission"):
    try:
        open(place + "/left-behind", "w")
        print("written", place)
    except OSError:
        pass
"""
    with settings.opened(tmp_path) as opened:
        session = opened.start(10**6)
        assert session.run(code, 60).outputs == []
        session.close()


# Last words -------------------------------------------------------------------------------------


def bad_python(folder: Path, body: str) -> str:
    """Return a program in the place of Python."""
    program = folder / "python"
    program.write_text("#!/bin/sh\n" + textwrap.dedent(body))
    program.chmod(0o755)
    return str(program)


@pytest.fixture
def no_template() -> Iterator[None]:
    """Start no server from a template that is there already."""
    close_template()
    yield
    close_template()


FAULTS = {
    "a module cannot be imported": (
        "echo \"ModuleNotFoundError: No module named 'ipykernel'\" >&2; exit 1",
        "exit status 1; its last words: ModuleNotFoundError: No module named 'ipykernel'",
    ),
    "a library is missing": (
        'printf "python: libfoo.so.1: cannot\\033[31m open\\n\\0shared object" >&2; exit 127',
        r"exit status 127; its last words: python: libfoo.so.1: cannot \[31m open shared object",
    ),
    "it is killed": ("kill -9 $$", "(SIGKILL|exit status (0|137)), without a word"),
    "it says very much": (
        'i=0; while [ $i -lt 3000 ]; do echo "line $i" >&2; i=$((i+1)); done; exit 3',
        "exit status 3; its last words: … .*line 2999",
    ),
}


@pytest.mark.usefixtures("no_template")
@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("way", WAYS)
def test_a_python_that_ends_at_its_start_says_why(
    way, fault, settings, tmp_path, monkeypatch, caplog
):
    body, words = FAULTS[fault]
    (tmp_path / "bin").mkdir()
    monkeypatch.setattr(sys, "executable", bad_python(tmp_path / "bin", body))
    monkeypatch.setattr(sys, "prefix", str(tmp_path))  # so that it is in a sandbox, too
    take(way, monkeypatch)
    sandbox._warn_once.cache_clear()
    with (
        pytest.raises(KernelStartError, match=words) as caught,
        settings.opened(tmp_path) as opened,
    ):
        opened.start(10**6)
    assert len(str(caught.value)) < 700
    assert str(caught.value).isprintable()
    if way == "forked":  # the template's own words, and then those of a server inside
        [warning] = [r.message for r in caplog.records if "can be forked" in r.message]
        assert re.search(words.replace("(0|137)", ""), warning)


@pytest.mark.parametrize("way", WAYS)
def test_a_kernel_that_cannot_be_set_up_says_why(way, settings, tmp_path, monkeypatch):
    take(way, monkeypatch)
    monkeypatch.setattr(sandbox.Sandbox, "_limits", lambda _: {"nonsense": 1})
    with (
        pytest.raises(KernelStartError, match=r"ended while starting.*RLIMIT_NONSENSE"),
        settings.opened(tmp_path) as opened,
    ):
        opened.start(10**6)


@pytest.mark.parametrize("way", WAYS)
def test_a_kernel_that_may_open_no_file_says_why(way, settings, tmp_path, monkeypatch):
    take(way, monkeypatch)
    settings.open_files = 8
    with (
        pytest.raises(KernelStartError, match=r"ended while starting.*[Tt]oo many open files"),
        settings.opened(tmp_path) as opened,
    ):
        opened.start(10**6)


@pytest.mark.parametrize("way", ["forked", "inside"])
def test_a_sandbox_that_cannot_be_made_says_why(way, settings, tmp_path, monkeypatch):
    take(way, monkeypatch)
    monkeypatch.setattr(mounts, "_free", lambda *_: [Path("/proc/1/nowhere")] * 4)
    with (
        pytest.raises(KernelStartError, match=r"does not start: exit status 1.*bwrap: .*nowhere"),
        settings.opened(tmp_path) as opened,
    ):
        opened.start(10**6)


@pytest.mark.parametrize("way", ["forked", "inside"])
def test_a_submission_that_does_not_fit_says_so(way, settings, tmp_path, monkeypatch):
    take(way, monkeypatch)
    (tmp_path / "big.bin").write_bytes(bytes(2**20))
    settings.disk_bytes = 2**18
    with (
        pytest.raises(KernelStartError, match="No space left on device"),
        settings.opened(tmp_path) as opened,
    ):
        opened.start(10**6)


@pytest.mark.parametrize("way", WAYS)
def test_a_session_that_is_left_open_ends_with_its_sandbox(way, settings, tmp_path, monkeypatch):
    take(way, monkeypatch)
    with settings.opened(tmp_path) as opened:
        session = opened.start(10**6)
    assert not session.alive
    assert session._channels is None


def test_no_room_for_temporary_files_is_the_machines_fault(settings, tmp_path, monkeypatch):
    def full() -> Path:
        raise OSError("no folder for temporary files can be made; set TMPDIR")

    take("ordinary", monkeypatch)
    monkeypatch.setattr(sandbox, "make_folder", full)
    with (
        pytest.raises(KernelStartError, match="set TMPDIR"),
        settings.opened(tmp_path) as opened,
    ):
        opened.start(10**6)


@pytest.mark.parametrize("way", WAYS)
def test_no_cell_can_write_into_a_kernels_last_words(way, settings, tmp_path, monkeypatch):
    take(way, monkeypatch)
    code = """
import os
for number in range(3, 200):
    try:
        if os.readlink(f"/proc/self/fd/{number}").startswith(("/memfd:", "/tmp/#")):
            print(number)
    except OSError:
        continue
_ = os.write(2, b"x" * 1000)
"""
    with settings.opened(tmp_path) as opened:
        session = opened.start(10**6)
        found = session.run(code, 60)
        assert session._process is not None
        assert session._process.log_tail() == ""
        session.close()
    assert [output.text for output in found.outputs if output.name == "stdout"] == []
