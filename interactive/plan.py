"""The plan of a query text: the query with hidden columns, and what they mean."""

from dataclasses import dataclass

import duckdb

from .catalog import Catalog
from .identity import Exposer, Identity
from .parse import Reference, parse


@dataclass
class Plan:
    """The parts of a query that are computed once for its text, and used each time it runs."""

    sql: str
    names: list[str]
    """The columns of the result, with the names that DuckDB gives them."""
    identity: Identity
    hidden: list[int]
    """The positions of the identity's columns in the result of ``sql``."""
    references: list[Reference]


def plan(con: duckdb.DuckDBPyConnection, sql: str, catalog: Catalog) -> Plan:
    """Return the plan of a query. Errors in the query itself are reported by DuckDB."""
    names = con.sql(sql).columns
    parsed = parse(sql, catalog)
    exposer = Exposer(parsed)
    identity = exposer.expose(parsed.query, derived=False)
    text = parsed.query.sql("duckdb")
    shift = len(names) if identity.names and identity.names[0].startswith("__h") else 0
    hidden = [shift + at for at in range(len(identity.names))]
    return Plan(text, list(names), identity, hidden, parsed.references)
