"""Tables of Spark that are views of constant rows."""

from typing import Any

from sqlglot import exp


def view(table: str, columns: list[tuple[str, str]], rows: list[tuple[Any, ...]]) -> str:
    """Return a statement that defines a table as a view of constant rows."""
    values = ", ".join(f"({', '.join(map(_quoted, row))})" for row in rows)
    empty = f"({', '.join(['NULL'] * len(columns))})"
    names = ", ".join(f"`{name}`" for name, _ in columns)
    casts = ", ".join(f"CAST(`{name}` AS {_type(type_)}) AS `{name}`" for name, type_ in columns)
    return (
        f"CREATE OR REPLACE TEMP VIEW `{table}` AS SELECT {casts} "
        f"FROM VALUES {values or empty} AS v({names}) WHERE {'true' if rows else 'false'}"
    )


def _type(type_: str) -> str:
    return exp.DataType.build(type_, dialect="duckdb").sql("spark")


def _quoted(value: Any) -> str:
    text = str(value).replace("\\", "\\\\").replace("'", "\\'")
    return "NULL" if value is None else f"'{text}'"
