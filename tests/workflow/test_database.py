"""The gradebook: one engine per process, SQLite shared by processes, PostgreSQL, a cluster."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy
from nbgrader.api import Gradebook
from support import parts
from support.grading import (
    BAD,
    KILL_ONCE,
    PATIENCE,
    assert_gone,
    assert_same,
    configure,
    copy_class,
    grade,
    offspring,
    run,
    start,
    step,
    until,
)

from autograder.commands import pool
from autograder.errors import CourseError
from autograder.gradebook import database
from autograder.plugins.install import install

# One engine per process --------------------------------------------------------------------------


@pytest.fixture
def url(tmp_path: Path) -> Iterator[str]:
    install()
    yield f"sqlite:///{tmp_path / 'gradebook.db'}"
    database.close()


def test_all_gradebooks_of_a_process_share_one_engine_and_close_on_their_own(url):
    with Gradebook(url) as first, Gradebook(url) as second:
        assert first.engine is second.engine
        first.add_student("s01")
        second.close()
        assert first.find_student("s01").id == "s01"
        assert [student.id for student in second.students] == ["s01"]
    with Gradebook(url) as third:
        assert third.engine is first.engine
        assert third.students
        assert third.engine.pool.checkedout() == 1
    assert third.engine.pool.checkedout() == 0


def test_an_unfinished_change_ends_with_its_gradebook(url):
    with Gradebook(url) as first:
        first.add_student("s01")
        first.find_student("s01").first_name = "Half"
        first.db.flush()
    with Gradebook(url) as second:
        assert second.find_student("s01").first_name is None


def test_sqlite_is_set_up_for_several_processes(url):
    with Gradebook(url) as gradebook:
        found = {
            name: gradebook.db.execute(sqlalchemy.text(f"PRAGMA {name}")).scalar()
            for name in ("journal_mode", "busy_timeout")
        }
    assert found == {"journal_mode": "wal", "busy_timeout": 60_000}


def test_a_gradebook_file_that_was_made_anew_is_read(url, tmp_path):
    with Gradebook(url) as gradebook:
        gradebook.add_student("s01")
    for file in tmp_path.glob("gradebook.db*"):
        file.unlink()
    with Gradebook(url) as gradebook:
        assert gradebook.students == []


def test_sqlite_keeps_no_second_file_when_all_processes_have_ended(url, tmp_path):
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", WRITE, url, "a"], check=False)
    assert done.returncode == 0
    assert [path.name for path in tmp_path.iterdir()] == ["gradebook.db"]


def test_a_relative_file_name_is_relative_to_the_folder_of_the_moment(tmp_path, monkeypatch):
    install()
    engines = []
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        monkeypatch.chdir(tmp_path / name)
        with Gradebook("sqlite:///own.db") as gradebook:
            engines.append(gradebook.engine)
        assert (tmp_path / name / "own.db").exists()
    database.close()
    assert engines[0] is not engines[1]


def test_a_writer_waits_for_another(url):
    with Gradebook(url) as gradebook:
        other = database.engine_of(url).connect()
        other.exec_driver_sql("BEGIN IMMEDIATE")
        timer = threading.Timer(7, other.rollback)  # SQLite itself would wait for 5 s
        timer.start()
        gradebook.add_student("s01")
        timer.join()
        other.close()


WRITE = """
import sys
from nbgrader.api import Gradebook
from autograder.plugins.install import install
install()
for number in range(15):
    with Gradebook(sys.argv[1]) as gradebook:
        gradebook.add_student(f"{sys.argv[2]}-{number}")
"""


def test_several_processes_write_into_one_sqlite_file(url):
    with Gradebook(url):
        pass
    writers = [
        subprocess.Popen([sys.executable, "-W", "ignore", "-c", WRITE, url, name])
        for name in ("a", "b", "c")
    ]
    assert [writer.wait(PATIENCE) for writer in writers] == [0, 0, 0]
    with Gradebook(url) as gradebook:
        assert len(gradebook.students) == 45


FORK = """
import os, sys
from nbgrader.api import Gradebook
from autograder.plugins.install import install
install()
with Gradebook(sys.argv[1]) as gradebook:
    gradebook.add_student("parent")
    child = os.fork()
    if not child:
        with Gradebook(sys.argv[1]) as own:
            own.add_student("child")
            os._exit(own.engine is gradebook.engine)
    assert os.waitpid(child, 0)[1] == 0
    assert {student.id for student in gradebook.students} == {"parent", "child"}
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="only where processes fork")
def test_a_forked_process_has_connections_of_its_own(url):
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", FORK, url], check=False)
    assert done.returncode == 0


def test_an_address_is_shown_without_its_password():
    text = database.shown("postgresql+psycopg://teacher:secret@host/grades")
    assert text == "postgresql+psycopg://teacher:***@host/grades"


# PostgreSQL and Dask -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """The address of a PostgreSQL server on a socket in a temporary folder, without a database."""
    with tempfile.TemporaryDirectory(prefix="pg-") as name:
        folder = Path(name)
        programs = parts.postgresql()
        assert programs is not None
        account = parts.postgresql_account()
        if account:
            os.chown(folder, account["user"], account["group"])
            folder.chmod(0o755)

        def call(program: str, *arguments: str) -> None:
            with (folder / "log").open("a") as log:
                subprocess.run(
                    [programs / program, *arguments],
                    cwd=folder,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    check=True,
                    timeout=PATIENCE,
                    **account,
                )

        data = str(folder / "data")
        options = f"-c listen_addresses= -c unix_socket_directories={folder} -c fsync=off"
        try:
            call("initdb", "-D", data, "-U", "teacher", "-A", "trust", "-E", "UTF8", "--no-sync")
            call("pg_ctl", "-D", data, "-o", options, "-w", "start")
        except subprocess.CalledProcessError:
            pytest.fail((folder / "log").read_text())
        try:
            yield f"postgresql+psycopg://teacher@/{{name}}?host={folder}"
        finally:
            call("pg_ctl", "-D", data, "-m", "immediate", "-w", "stop")


def new_database(server: str, name: str) -> str:
    """Make an empty database and return its address."""
    engine = sqlalchemy.create_engine(server.format(name="postgres"), isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(sqlalchemy.text(f"CREATE DATABASE {name}"))
    engine.dispose()
    return server.format(name=name)


def class_on(server: str, name: str, made: Path) -> tuple[Path, str]:
    """Return a copy of the class whose gradebook is a PostgreSQL database, and its address."""
    root = copy_class(made, name)
    (root / "gradebook.db").unlink()
    url = new_database(server, name)
    configure(root, f"\nc.CourseDirectory.db_url = {url!r}\n")
    run(root, "nbgrader", "generate_assignment", "tiny", "--force")
    return root, url


@contextlib.contextmanager
def dask(workers: int) -> Iterator[str]:
    """Start a Dask scheduler and workers as processes of their own; give the address."""
    common = ("--no-dashboard", "--host", "127.0.0.1")
    with tempfile.TemporaryDirectory(prefix="t", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        file = folder / "scheduler.json"
        options = ("--port", "0", "--scheduler-file", str(file))
        started = [start(folder, "dask", "scheduler", *common, *options)]
        try:
            until(lambda: file.exists() and file.read_text().strip().endswith("}"), "scheduler")
            address = str(json.loads(file.read_text())["address"])
            for number in range(workers):
                options = ("--nthreads", "1", "--no-nanny", "--local-directory", str(number))
                env = {"TMPDIR": name}
                started.append(start(folder, "dask", "worker", address, *common, *options, env=env))
            yield address
        finally:
            processes = [each for one in started if one.poll() is None for each in offspring(one)]
            for one in reversed(started):
                one.kill()
                one.communicate()
            assert_gone(processes)


def assert_export_is_the_same(root: Path, stock: Path) -> None:
    run(root, "nbgrader", "export")
    for name in ("grades.csv", "grades_by_student.csv"):
        assert (root / name).read_bytes() == (stock / name).read_bytes()


@pytest.mark.slow
@pytest.mark.postgresql
def test_processes_grade_into_postgresql_as_nbgrader_does_into_sqlite(server, made, stock):
    root, url = class_on(server, "local", made)
    _, out, err = grade(root, "--jobs", "2", status=1)
    assert err == ""
    assert f"{BAD}: not gradable: 1_double" in out
    assert_same(root, stock, url)
    assert_export_is_the_same(root, stock)
    assert not (root / "gradebook.db").exists()


@pytest.mark.slow
@pytest.mark.postgresql
def test_a_cluster_grades_into_postgresql_as_nbgrader_does_into_sqlite(server, made, stock):
    root, url = class_on(server, "cluster", made)
    with dask(workers=2) as address:
        _, out, _ = grade(root, "--scheduler", address, status=1)
        assert "4 of 4" in out
        assert_same(root, stock, url)
        _, out, _ = grade(root, "--scheduler", address, status=1)
        assert out.splitlines()[-2].replace("│", " ").split()[:5] == ["4", "0", "1", "0", "3"]
    assert_same(root, stock, url)
    assert_export_is_the_same(root, stock)


@pytest.mark.slow
@pytest.mark.postgresql
def test_a_worker_of_a_cluster_may_be_killed(server, made, stock):
    root, url = class_on(server, "killed", made)
    flag, _ = step(root, KILL_ONCE)
    with dask(workers=2) as address:
        grade(root, "--scheduler", address, status=1)
    assert flag.exists()
    assert_same(root, stock, url)


@pytest.mark.slow
def test_a_cluster_without_workers_or_without_a_scheduler_is_named(monkeypatch):
    monkeypatch.setattr(pool, "CONNECT_SECONDS", 5)
    with (
        dask(workers=0) as address,
        pytest.raises(CourseError, match=f"no workers.*dask worker {address}"),
        pool.cluster(address, "postgresql://host/db"),
    ):
        pass
    monkeypatch.setattr(pool, "CONNECT_SECONDS", 1)
    with (
        pytest.raises(CourseError, match=f"no Dask scheduler at {address}"),
        pool.cluster(address, "postgresql://host/db"),
    ):
        pass
