"""How this process talks to nbgrader's gradebook, SQLite or PostgreSQL.

nbgrader makes a new SQLAlchemy engine for every ``Gradebook`` object, several times per notebook,
so that every statement is compiled anew and every connection opened anew. `install` gives all
gradebooks of one process and address the same engine, and lets several processes share an SQLite
file.
"""

from __future__ import annotations

import os
import sqlite3
from typing import Any

import nbgrader.api
import sqlalchemy
from sqlalchemy import event
from sqlalchemy.engine import Engine, make_url

BUSY_SECONDS = 60
"""How long a statement waits for another process that writes into the same SQLite file."""

_engines: dict[str, Engine] = {}


def is_sqlite(url: str) -> bool:
    """Return whether a gradebook's address is that of an SQLite file."""
    return make_url(url).get_backend_name() == "sqlite"


def shown(url: str) -> str:
    """Return a gradebook's address without its password."""
    return make_url(url).render_as_string(hide_password=True)


def engine_of(url: str, **options: Any) -> Engine:
    """Return this process's engine for a gradebook; stands in for SQLAlchemy's ``create_engine``.

    Args:
        url: the gradebook's address.
        options: as for ``sqlalchemy.create_engine``; those of the first call count.
    """
    sqlite = is_sqlite(url)
    # A relative file name means another file in another folder, and there is one at a time.
    key = f"{url} in {os.getcwd()}" if sqlite and not _is_absolute(url) else url
    engine = _engines.get(key)
    if engine is None:
        engine = sqlalchemy.create_engine(url, pool_pre_ping=not sqlite, **options)
        if sqlite:
            event.listen(engine, "connect", _share_file)
        else:
            _keep_connections(engine)
        _engines[key] = engine
    return engine


def _is_absolute(url: str) -> bool:
    return os.path.isabs(make_url(url).database or "")


def _share_file(connection: sqlite3.Connection, _: object) -> None:
    """Let several processes read, and one at a time write, while the others wait."""
    cursor = connection.cursor()
    cursor.execute(f"PRAGMA busy_timeout = {BUSY_SECONDS * 1000}")
    cursor.execute("PRAGMA journal_mode = WAL")
    cursor.close()


def _keep_connections(engine: Engine) -> None:
    """Make ``dispose``, which every ``Gradebook.close`` calls, leave the connections in the pool.

    The session has been closed by then, so its transaction is over. SQLite's connections are closed
    as ever: they cost little, and their file may be deleted and made anew.
    """
    engine.dispose = lambda close=True: None  # type: ignore[method-assign]


def _forget_engines() -> None:
    """Leave the connections alone in a forked child, since they are its parent's."""
    for engine in _engines.values():
        Engine.dispose(engine, close=False)
    _engines.clear()


def install() -> None:
    """Give nbgrader's gradebooks in this process these engines; once more changes nothing."""
    nbgrader.api.create_engine = engine_of


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_engines)
