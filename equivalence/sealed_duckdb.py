"""An in-memory DuckDB that cannot read files or load extensions, kept for further use.

Starting DuckDB takes longer than comparing two queries. Therefore an instance is kept, and each use
gets its own database in it, with the usual name of an in-memory database.
"""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

import duckdb

SEALED: dict[str, str | bool | int | float | list[str]] = {
    "enable_external_access": False,
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "threads": 1,
}
"""Settings under which a query cannot read files."""
SMALL: dict[str, str | bool | int | float | list[str]] = {
    **SEALED,
    "memory_limit": "500MB",
    "temp_directory": "",
}
"""Settings for queries on few rows: a query also fails if it needs more than 500 MB of memory."""
LOCK = "set lock_configuration = true"
NAME = "memory"

_lock = Lock()
_free: list[duckdb.DuckDBPyConnection] = []
"""The instances that are not in use at the moment."""


@contextmanager
def own_instance(small: bool = True) -> Iterator[duckdb.DuckDBPyConnection]:
    """Yield a new instance whose settings can be changed before it is locked."""
    with duckdb.connect(config=SMALL if small else SEALED) as con:
        yield con


@contextmanager
def kept_instance() -> Iterator[duckdb.DuckDBPyConnection]:
    """Yield an empty database in an instance whose settings are locked."""
    with _lock:
        instance = _free.pop() if _free else None
    instance = instance or _started()
    con = instance.cursor()
    try:
        con.execute(f"attach ':memory:' as {NAME}")
        con.execute(f"use {NAME}")
        yield con
    finally:
        con.close()
        _give_back(instance)


def _started() -> duckdb.DuckDBPyConnection:
    """Return an instance without a database of the usual name.

    Its own database has a random name, which no query can guess.
    """
    con, other = duckdb.connect(config=SMALL), f"base_{secrets.token_hex(8)}"
    for text in (f"attach ':memory:' as {other}", f"use {other}", f"detach {NAME}", LOCK):
        con.execute(text)
    return con


def _give_back(instance: duckdb.DuckDBPyConnection) -> None:
    try:
        instance.execute(f"detach {NAME}")
    except duckdb.Error:
        instance.close()
        return
    with _lock:
        _free.append(instance)
