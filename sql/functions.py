"""The functions of DuckDB: aggregates, unstable functions, aliases, and macros."""

from dataclasses import dataclass, field

import duckdb

STOPS = "error"
"""A function that only raises an error; DuckDB adds it to subqueries that must return one row."""


@dataclass(frozen=True)
class Macro:
    """A scalar or table macro, with its definition as SQL text."""

    name: str
    parameters: tuple[str, ...]
    text: str
    table: bool
    built_in: bool


@dataclass
class Functions:
    """The functions of a connection, by lower-case name."""

    aggregates: set[str] = field(default_factory=set)
    unstable: set[str] = field(default_factory=set)
    """Functions that may return a different value at each call, or in each query."""
    names: dict[str, str] = field(default_factory=dict)
    """The documented name of each function, by its aliases."""
    macros: dict[str, list[Macro]] = field(default_factory=dict)
    """Macros by name. Macros with the same name differ in the number of their parameters."""

    def macro(self, name: str, arguments: int, table: bool) -> Macro | None:
        """Return the macro that a call refers to, or None; ``table`` is true for a call in FROM."""
        found = [each for each in self.macros.get(name.lower(), []) if each.table == table]
        fitting = [each for each in found if len(each.parameters) == arguments]
        return fitting[0] if fitting else found[0] if found else None


def functions(con: duckdb.DuckDBPyConnection) -> Functions:
    """Read all functions, which takes about 30 ms."""
    found = Functions(unstable={"alias"})  # its value depends on the text that provhouse writes
    for name, kind, other, stability, internal, parameters, text in con.execute(ALL).fetchall():
        if kind == "aggregate":
            found.aggregates.add(name)
        if stability not in (None, "CONSISTENT") and name != STOPS:
            found.unstable.add(name)
        if other:
            found.names[name] = other
        if text is not None:
            table = kind == "table_macro"
            macro = Macro(name, tuple(map(str.lower, parameters)), text, table, internal)
            found.macros.setdefault(name, []).append(macro)
    found.unstable.discard("error")  # a scalar subquery calls it for a second row
    return found


ALL = """
    select lower(function_name), function_type, lower(alias_of), stability, internal, parameters,
        macro_definition
    from duckdb_functions() order by internal"""
