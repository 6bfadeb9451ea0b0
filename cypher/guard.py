"""Check that a user's Cypher only reads: all operators of its plan must be in ``operators.py``.

A query that passes the check runs in a session with read access, where Neo4j itself refuses writes.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from provhouse.model.errors import UsageError
from provhouse.runtime.packages import Deferred

from .operators import READING, name_of
from .plain_values import plain

if TYPE_CHECKING:
    import neo4j
else:
    neo4j = Deferred("neo4j")


READING_PROCEDURES = frozenset({
    "db.labels", "db.relationshipTypes", "db.propertyKeys", "db.schema.visualization",
    "db.schema.nodeTypeProperties", "db.schema.relTypeProperties",
})  # fmt: skip

# Operators that Neo4j counts as reading although they reach beyond the data. Operators outside
# READING are always refused; for the operators listed here, the error explains why.
WHY = {
    "LoadCSV": "it reads files or addresses",
    "ShowSettings": "it shows the server's settings",
    "ShowTransactions": "it shows other users' queries",
    "TerminateTransactions": "it ends other users' queries",
}

EXPLAIN = "EXPLAIN\n"  # on its own line, so that column numbers in messages fit the user's query


@dataclass(frozen=True)
class CypherResult:
    """The columns and rows of a result.

    Values are strings, numbers, booleans, None, or lists and dicts of these.
    """

    columns: tuple[str, ...]
    rows: list[tuple[object, ...]]


def read(
    opened: "Callable[..., neo4j.Session]", query: str, parameters: Mapping[str, object]
) -> CypherResult:
    """Run one statement; raise UsageError if it is not valid or does more than read.

    ``opened`` opens a session with a given access mode.
    """
    with opened(default_access_mode=neo4j.READ_ACCESS) as session:
        try:
            _check(session, query, parameters)
            result = session.run(_query(query), dict(parameters))
            columns = tuple(result.keys())
            return CypherResult(columns, [tuple(plain(value) for value in row) for row in result])
        except neo4j.exceptions.ClientError as error:
            raise UsageError(
                "Neo4j rejects the query, which must be one Cypher statement that only reads",
                f"It reports: {_located(error.message or '')}",
                "See docs/neo4j.md for the data that queries can read",
            ) from error


def _check(session: "neo4j.Session", query: str, parameters: Mapping[str, object]) -> None:
    """Refuse a query if its plan does more than read the warehouse.

    Neo4j's own check is not enough: it allows queries that read files and settings.
    """
    summary = session.run(_query(f"{EXPLAIN}{query}"), dict(parameters)).consume()
    if summary.query_type != "r":
        _refuse("it writes or changes the database")
    for operator in _operators(summary.plan or {}):
        _check_operator(operator)


def _check_operator(operator: Mapping[str, Any]) -> None:
    name = name_of(operator["operatorType"])
    if name not in READING:
        _refuse(WHY.get(name, f"its plan has {name}, which is not known to read only the data"))
    if name == "ProcedureCall" and _procedure(operator) not in READING_PROCEDURES:
        _refuse(f"it calls {_procedure(operator)}")


def _procedure(operator: Mapping[str, Any]) -> str:
    return str(operator.get("args", {}).get("Details", "")).partition("(")[0]


def _located(message: str) -> str:
    """Return Neo4j's message about an EXPLAIN query, with corrected line numbers.

    The corrected numbers count the lines of the user's query, which does not have the first line,
    EXPLAIN.
    """
    return re.sub(
        r"\(line (\d+), column (\d+) \(offset: -?\d+\)\)",
        lambda found: f"(line {max(int(found[1]) - 1, 1)}, column {found[2]})",
        message.replace(EXPLAIN, ""),
    )


def _operators(plan: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    if plan:
        yield plan
    for child in plan.get("children", ()):
        yield from _operators(child)


def _refuse(reason: str) -> None:
    raise UsageError(
        "The query does more than read the warehouse",
        f"It was not run: {reason}",
        "Use MATCH and RETURN",
    )


def _query(text: str) -> "neo4j.Query":
    return neo4j.Query(text)
