"""The settings of a DuckDB connection that may change rows and are not DuckDB's defaults."""

from collections.abc import Iterable
from functools import cache
from typing import Final

import duckdb

HARMLESS: Final = frozenset(
    (
        "threads", "worker_threads", "external_threads", "memory_limit", "max_memory", "username",
        "temp_directory", "max_temp_directory_size", "home_directory", "extension_directory",
        "secret_directory", "access_mode", "enable_progress_bar", "enable_progress_bar_print",
        "progress_bar_time", "enable_external_access", "lock_configuration", "search_path",
        "schema", "user", "password", "duckdb_api", "custom_user_agent", "enable_object_cache",
        "autoinstall_known_extensions", "autoload_known_extensions", "preserve_insertion_order",
        "checkpoint_threshold", "wal_autocheckpoint",
    )
)  # fmt: skip
"""Settings that do not change the rows of a query, other than rows that are not certain anyway."""
_ALL = "select name, coalesce(value, '') from duckdb_settings()"


def changed_settings(con: duckdb.DuckDBPyConnection) -> list[str]:
    """Return the names of settings that differ from DuckDB's defaults, except harmless ones."""
    found = {name for name, _ in {*con.execute(_ALL).fetchall()} - _defaults()}
    return sorted(found - HARMLESS)


def may_change_rows(names: Iterable[str]) -> list[str]:
    """Return those of the given settings that are not known to be harmless."""
    return sorted({*map(str.lower, names)} - HARMLESS)


@cache
def _defaults() -> frozenset[tuple[str, str]]:
    with duckdb.connect() as con:
        return frozenset(con.execute(_ALL).fetchall())
