"""How this process talks to nbgrader's gradebook, SQLite or PostgreSQL.

nbgrader makes a new SQLAlchemy engine for every ``Gradebook`` object, several times per notebook,
so that every statement is compiled anew and every connection opened anew. `install` gives all
gradebooks of one process and address the same engine, whose connections outlive a gradebook, and
lets several processes share an SQLite file.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import sqlite3
import weakref
from collections.abc import Iterator
from typing import Any

import nbgrader.api
import sqlalchemy
from alembic.config import Config
from alembic.script import ScriptDirectory
from nbgrader.dbutil import ALEMBIC_DIR
from sqlalchemy import event
from sqlalchemy.engine import Engine, make_url
from sqlalchemy.exc import ArgumentError, OperationalError

from autograder.errors import CourseError

BUSY_SECONDS = 60
"""How long a statement waits for another process that writes into the same SQLite file."""

_engines: dict[str, tuple[object, Engine]] = {}
"""The engines by address, each with the identity of the file that it has open."""


def is_sqlite(url: str) -> bool:
    """Return whether a gradebook's address is that of an SQLite file."""
    return make_url(url).get_backend_name() == "sqlite"


def shown(url: str) -> str:
    """Return a gradebook's address without its password."""
    return make_url(url).render_as_string(hide_password=True)


def exists(url: str) -> bool:
    """Return whether there is a gradebook; of one on a server, opening it says so."""
    file = url.removeprefix("sqlite:///").split("?")[0]
    return not url.startswith("sqlite:///") or os.path.exists(file)


def require(url: str, lesson: str) -> None:
    """Make sure that a gradebook in an SQLite file is there, since opening it would make it.

    Raises:
        CourseError: it is not; the message says how to make it for a lesson.
    """
    if not exists(url):
        file = url.removeprefix("sqlite:///").split("?")[0]
        raise CourseError(f"There is no gradebook {file}. Run: autograder build {lesson}")


def require_current(engine: Engine) -> None:
    """Make sure that a gradebook has all that this version of nbgrader looks for in it.

    Raises:
        CourseError: it was made by another version.
    """
    if engine in _current:
        return
    found = sqlalchemy.inspect(engine)
    tables = set(found.get_table_names())
    for table in nbgrader.api.Base.metadata.sorted_tables if tables else ():
        columns = (
            {column["name"] for column in found.get_columns(table.name)}
            if (table.name in tables)
            else set()
        )
        if not columns.issuperset(column.name for column in table.columns):
            raise CourseError(
                f"The gradebook {shown(str(engine.url))} was made by an older nbgrader. "
                "Make a copy of it, then run: nbgrader db upgrade. Nothing was changed."
            )
    _current.add(engine)


_current: weakref.WeakSet[Engine] = weakref.WeakSet()
"""The engines whose gradebooks have been found to be current."""


def require_writable(url: str) -> None:
    """Make sure that a gradebook in an SQLite file can be written to; a server says so itself.

    Raises:
        CourseError: it cannot.
    """
    if not is_sqlite(url):
        return
    file = make_url(url).database or ""
    try:
        with contextlib.closing(sqlite3.connect(file, timeout=BUSY_SECONDS)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("CREATE TABLE autograder_can_write (x)")
            connection.rollback()
    except sqlite3.Error as error:
        raise CourseError(
            f"The gradebook {file} cannot be written: {error}. Nothing was changed."
        ) from error


def forget(url: str) -> None:
    """Close this process's connections to a gradebook that is going to be deleted."""
    for key in [key for key in _engines if key.startswith(f"{url} ")]:
        Engine.dispose(_engines.pop(key)[1])


@contextlib.contextmanager
def explained(url: str) -> Iterator[None]:
    """Say in one sentence why a gradebook cannot be opened in the block.

    Raises:
        CourseError: the package, the address or the server is missing or wrong.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        raise CourseError(
            f"The gradebook {shown(url)} needs the Python package {error.name}. For "
            'postgresql+psycopg://… run: pip install "psycopg[binary]"'
        ) from error
    except ArgumentError as error:
        raise CourseError(f"c.CourseDirectory.db_url in nbgrader_config.py: {error}") from error
    except OperationalError as error:
        reason = str(error.orig).strip().split("\n")[0]
        raise CourseError(f"The gradebook {shown(url)} cannot be opened: {reason}") from error


def engine_of(url: str, **options: Any) -> Engine:
    """Return this process's engine for a gradebook; stands in for SQLAlchemy's ``create_engine``.

    Args:
        url: the gradebook's address.
        options: as for ``sqlalchemy.create_engine``; those of the first call count.
    """
    sqlite = is_sqlite(url)
    file = os.path.abspath(make_url(url).database or "") if sqlite else ""
    key = f"{url} {file}"
    identity, engine = _engines.get(key, (None, None))
    if engine is not None and identity == _identity(file):
        return engine
    if engine is not None:  # the file has been deleted and made anew
        Engine.dispose(engine)
    engine = sqlalchemy.create_engine(url, pool_pre_ping=not sqlite, **options)
    # A gradebook disposes its engine when it is closed. Its session is closed by then, so there is
    # no transaction left, and the connection can serve the next gradebook.
    engine.dispose = lambda close=True: None  # type: ignore[method-assign]
    if sqlite:
        event.listen(engine, "connect", _share_file)
        with engine.connect():  # makes the file
            pass
    _engines[key] = _identity(file), engine
    return engine


def _identity(file: str) -> object:
    try:
        status = os.stat(file)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _share_file(connection: sqlite3.Connection, _: object) -> None:
    """Let several processes read, and one at a time write, while the others wait."""
    cursor = connection.cursor()
    cursor.execute(f"PRAGMA busy_timeout = {BUSY_SECONDS * 1000}")
    cursor.execute("PRAGMA journal_mode = WAL")
    cursor.close()


def close(forked: bool = False) -> None:
    """Close all connections; the last process to do so folds SQLite's log into its file.

    Args:
        forked: whether the connections are those of the process that this one was forked from,
            and are to be forgotten only.
    """
    for _, engine in _engines.values():
        Engine.dispose(engine, close=not forked)
    _engines.clear()


def newest_version() -> str:
    """Return the version of a new gradebook; stands in for nbgrader's ``get_alembic_version``.

    nbgrader starts alembic as a program to be told, which takes longer than to make a release.
    """
    options = Config()
    options.set_main_option("script_location", ALEMBIC_DIR.replace("%", "%%"))
    return str(ScriptDirectory.from_config(options).get_current_head())


def install() -> None:
    """Give nbgrader's gradebooks in this process these engines; once more changes nothing."""
    nbgrader.api.create_engine = engine_of
    nbgrader.api.get_alembic_version = newest_version


atexit.register(close)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=lambda: close(forked=True))
