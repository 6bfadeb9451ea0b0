"""Convert expressions of DuckDB's plans to SQL. Unknown expressions are not converted."""

import json
from collections.abc import Sequence

from provhouse.equivalence.empty_database import whole_name
from provhouse.equivalence.plan_form import ColumnReference, Constant, Expression

from .parts import NotContained

OPERATORS = {
    "COMPARE_EQUAL": "=",
    "COMPARE_NOTEQUAL": "<>",
    "COMPARE_LESSTHAN": "<",
    "COMPARE_GREATERTHAN": ">",
    "COMPARE_LESSTHANOREQUALTO": "<=",
    "COMPARE_GREATERTHANOREQUALTO": ">=",
    "CONJUNCTION_AND": "and",
    "CONJUNCTION_OR": "or",
    "~~": "like",
    "+": "+",
    "-": "-",
    "*": "*",
}
"""Functions of two or more arguments, and the SQL operators that denote them."""


def sql_of(made: Expression, names: Sequence[str]) -> str:
    """Return an expression as SQL. Raises NotContained for unknown expressions."""
    if isinstance(made, ColumnReference):
        return whole_name((names[made.position],))
    if isinstance(made, Constant):
        return _constant(made)
    arguments = [sql_of(each, names) for each in made.arguments]
    if made.function in OPERATORS and len(arguments) > 1:
        return f"({f' {OPERATORS[made.function]} '.join(arguments)})"
    if made.function == "COMPARE_IN":
        return f"({arguments[0]} in ({', '.join(arguments[1:])}))"
    if made.function == "CAST" and '"try_cast":false' in dict(made.options).get("data", ""):
        return f"cast({arguments[0]} as {plain_type(made.type)})"
    forms = {
        "OPERATOR_NOT": "(not {})",
        "OPERATOR_IS_NULL": "({} is null)",
        "OPERATOR_IS_NOT_NULL": "({} is not null)",
    }
    if made.function not in forms or len(arguments) != 1:
        raise NotContained
    return forms[made.function].format(*arguments)


def plain_type(type_: str) -> str:
    """Return a plan's type as SQL; raise NotContained if the type is unknown."""
    if not type_.startswith("{"):
        return type_
    found = json.loads(type_)
    info = found.get("type_info") or {}
    if found["id"] != "DECIMAL" or info.get("type") != "DECIMAL_TYPE_INFO":
        raise NotContained
    return f"DECIMAL({info['width']},{info['scale']})"


def _constant(made: Constant) -> str:
    value = json.loads(made.value)
    found = value.get("value")
    if value.get("is_null") or not isinstance(found, str | int):
        raise NotContained
    if isinstance(found, bool):
        return f"cast({str(found).lower()} as {plain_type(made.type)})"
    text = "'{}'".format(str(found).replace("'", "''"))
    plain = {"INTEGER": str(found), "VARCHAR": text}
    return plain.get(made.type, f"cast({text} as {plain_type(made.type)})")
