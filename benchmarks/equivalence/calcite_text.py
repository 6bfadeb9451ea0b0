"""Convert the pairs of queries from Apache Calcite's tests, published by SPES, to DuckDB's SQL.

Only SQL that Calcite writes but other systems do not accept is rewritten: names with ``$``, VALUES
without rows, constants in GROUP BY that do not mean positions, and ORDER BY below UNION without
parentheses.
"""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

EMPTY = "(SELECT * FROM EMP WHERE false)"
VALUES = re.compile(r"\(VALUES\s+(\(.*?\))\) AS (\w+)(?!\s*\()")
CONSTANT = re.compile(r"(?<=GROUP BY )(.*?)(?=\)| HAVING| ORDER|$)")
NUMBER = re.compile(r"(^|, )(\d+)(?=,|$)")
BLOCK = re.compile(
    r"(SELECT (?:(?!SELECT|UNION|\().)*ORDER BY (?:(?!SELECT|UNION|\().)*?)(?= UNION|\))"
)


@dataclass(frozen=True)
class Pair:
    """Two SQL queries that are equal according to the tests of an optimiser."""

    name: str
    first: str
    second: str


def pairs(path: Path) -> list[Pair]:
    """Read pairs from a file with one JSON object on each line."""
    lines = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return [Pair(each["id"], _text(each["q1"]), _text(each["q2"])) for each in lines]


def ddl(path: Path) -> str:
    """Read columns and constraints from a JSON file, and return them as DDL."""
    known: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    made: dict[str, list[str]] = {
        table: [f"{name} {type_}" for name, type_ in columns.items()]
        for table, columns in known["schema"].items()
    }
    for constraint in known["constraints"]:
        for kind, listed in constraint.items():
            places = [each["value"].split("__") for each in _listed(listed)]
            table, names = places[0][0], [name for _, name in places]
            if kind == "not_null":
                made[table] = [_not_null(each, names[0]) for each in made[table]]
            elif kind == "primary":
                made[table].append(f"PRIMARY KEY ({', '.join(names)})")
            else:
                made[table].append(
                    f"FOREIGN KEY ({names[0]}) REFERENCES {places[1][0]} ({names[1]})"
                )
    tables = sorted(made, key=lambda each: "FOREIGN KEY" in " ".join(made[each]))
    return "\n".join(f"CREATE TABLE {each} ({', '.join(made[each])});" for each in tables)


def _listed(found: Any) -> list[Any]:
    return found if isinstance(found, list) else [found]


def _not_null(column: str, name: str) -> str:
    return f"{column} NOT NULL" if column.split()[0] == name else column


def _text(text: str) -> str:
    text = text.replace("$", "_D_").replace("(VALUES)", EMPTY)
    text = VALUES.sub(_named, text)
    text = CONSTANT.sub(lambda found: NUMBER.sub(r"\1(\2 + 0)", found[1]), text)
    return BLOCK.sub(r"(\1)", text) if " UNION" in text else text


def _named(found: re.Match[str]) -> str:
    """Return a VALUES clause with the column names that Calcite gives it."""
    count = found[1].split(")")[0].count(",") + 1
    names = ", ".join(f"EXPR_D_{at}" for at in range(count))
    return f"(VALUES {found[1]}) AS {found[2]}({names})"
