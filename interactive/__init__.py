"""Lineage of interactive DuckDB queries: from a row to its records, and from a record to its rows.

    from provhouse import interactive

    con = interactive.connect("trips.duckdb")
    result = con.sql("select carrier, avg(delay) d from flights group by carrier", lineage=True)
    result.backward("flights", rows=[3]).to_pandas()

The package starts neither Spark, Java nor Neo4j. It imports each of its modules only when a program
first uses a name from the module.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # for type checkers, which do not run __getattr__
    from .duckdb_session import Connection as Connection
    from .duckdb_session import connect as connect
    from .planning.want import Want as Want
    from .result import Result as Result
    from .table_records import Records as Records

_MODULES = {
    "Connection": "duckdb_session",
    "Records": "table_records",
    "Result": "result",
    "Want": "planning.want",
    "connect": "duckdb_session",
}

__all__ = sorted(_MODULES)


def __getattr__(name: str) -> object:
    """Import a public name when it is first used (PEP 562)."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_MODULES[name]}", __name__), name)
