"""A user's Cypher, read-only: every operator of its plan is one that is known to read only.

What passes then runs in a session in which Neo4j refuses to write anyway.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from neo4j import READ_ACCESS, Driver, Query, Session
from neo4j.exceptions import ClientError

from provhouse.model.errors import UsageError

from .config import DATABASE
from .operators import READING, name_of
from .values import plain

READING_PROCEDURES = frozenset({
    "db.labels", "db.relationshipTypes", "db.propertyKeys", "db.schema.visualization",
    "db.schema.nodeTypeProperties", "db.schema.relTypeProperties",
})  # fmt: skip

# What Neo4j counts as reading although it reaches beyond the data; all that is no operator of
# READING is refused, these with better words.
WHY = {
    "LoadCSV": "it reads files or addresses",
    "ShowSettings": "it shows the server's settings",
    "ShowTransactions": "it shows what others ask",
    "TerminateTransactions": "it ends what others ask",
}

EXPLAIN = "EXPLAIN\n"  # a line of its own, so that columns in messages are the user's


@dataclass(frozen=True)
class Result:
    """A table of plain values: text, numbers, booleans, None, and lists and dicts of these."""

    columns: tuple[str, ...]
    rows: list[tuple[object, ...]]


def read(driver: Driver, query: str, parameters: Mapping[str, object]) -> Result:
    """Run one statement that only reads; raises UsageError for any other, and for a wrong one."""
    with driver.session(database=DATABASE, default_access_mode=READ_ACCESS) as session:
        try:
            _check(session, query, parameters)
            result = session.run(_query(query), dict(parameters))
            columns = tuple(result.keys())
            return Result(columns, [tuple(plain(value) for value in row) for row in result])
        except ClientError as error:
            raise UsageError(
                "The query should be one Cypher statement that only reads",
                f"Neo4j says: {_located(error.message or '')}",
                "See docs/neo4j.md for what there is to ask for",
            ) from error


def _check(session: Session, query: str, parameters: Mapping[str, object]) -> None:
    """Refuse by the plan: access to the network, settings and running queries is no write."""
    summary = session.run(_query(f"{EXPLAIN}{query}"), dict(parameters)).consume()
    if summary.query_type != "r":
        _refuse("it writes or changes the database")
    for operator in _operators(summary.plan or {}):
        _check_operator(operator)


def _check_operator(operator: Mapping[str, Any]) -> None:
    name = name_of(operator["operatorType"])
    if name not in READING:
        _refuse(WHY.get(name, f"its plan has {name}, which is not among what reads only the data"))
    if name == "ProcedureCall" and _procedure(operator) not in READING_PROCEDURES:
        _refuse(f"it calls {_procedure(operator)}")


def _procedure(operator: Mapping[str, Any]) -> str:
    return str(operator.get("args", {}).get("Details", "")).partition("(")[0]


def _located(message: str) -> str:
    """A message about the explained query, as one about the user's."""
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
        "The query should only read what the warehouse holds",
        f"This one was not run: {reason}",
        "Ask with MATCH and RETURN",
    )


def _query(text: str) -> Query:
    return Query(text)
