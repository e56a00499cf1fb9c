"""How this process talks to nbgrader's gradebook, SQLite or PostgreSQL.

nbgrader makes a new SQLAlchemy engine for every `Gradebook` object, nine times for a notebook, so
that every statement is compiled anew and every connection opened anew. `install` gives all
gradebooks of one process and address the same engine, and sets SQLite up for several processes.
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
    """Return this process's engine for a gradebook; stands in for SQLAlchemy's `create_engine`.

    Args:
        url: the gradebook's address.
        options: as for `sqlalchemy.create_engine`; those of the first call count.
    """
    engine = _engines.get(url)
    if engine is None:
        # A connection that the server has closed meanwhile is opened again.
        engine = sqlalchemy.create_engine(url, pool_pre_ping=not is_sqlite(url), **options)
        if is_sqlite(url):
            event.listen(engine, "connect", _share_file)
        else:
            _keep_connections(engine)
        _engines[url] = engine
    return engine


def _share_file(connection: sqlite3.Connection, _: object) -> None:
    """Let several processes read and write one file: readers and one writer at a time."""
    cursor = connection.cursor()
    cursor.execute(f"PRAGMA busy_timeout = {BUSY_SECONDS * 1000}")
    cursor.execute("PRAGMA journal_mode = WAL")
    cursor.close()


def _keep_connections(engine: Engine) -> None:
    """Make `dispose`, which every `Gradebook.close` calls, leave the connections in the pool.

    Closing a session has ended its transaction and given its connection back by then. SQLite's
    connections cost little and are closed: their file may be deleted and made anew.
    """
    engine.dispose = lambda close=True: None  # type: ignore[method-assign]


def _forget_engines() -> None:
    """Leave the parent's connections alone in a forked child: they are the parent's."""
    for engine in _engines.values():
        Engine.dispose(engine, close=False)
    _engines.clear()


def install() -> None:
    """Give nbgrader's gradebooks these engines; called once per process, more often is harmless."""
    nbgrader.api.create_engine = engine_of


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_engines)
