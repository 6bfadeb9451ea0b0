"""DuckDB in memory that reads no file and loads no extension, kept for the next use.

Starting DuckDB takes longer than comparing two queries. So an instance stays, and each use has a
database of its own in it, with the name that a database in memory always has.
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
"""Settings under which a query reads no file."""
SMALL: dict[str, str | bool | int | float | list[str]] = {
    **SEALED,
    "memory_limit": "500MB",
    "temp_directory": "",
}
"""Settings under which a query also fails where it needs more memory, for queries of few rows."""
LOCK = "set lock_configuration = true"
NAME = "memory"

_lock = Lock()
_free: list[duckdb.DuckDBPyConnection] = []
"""The instances that are not in use."""


@contextmanager
def own_instance(small: bool = True) -> Iterator[duckdb.DuckDBPyConnection]:
    """Yield a new instance, whose settings can be changed until it is locked."""
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
    """Return an instance without a database of the usual name; no text can guess the other name."""
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
