"""A result as a filter of a stored one: the new query keeps some of its rows and columns.

Both queries are taken apart into the same *base* (a scan, a join, groups), conditions, and columns
as expressions over the base. The stored result contains the new one if its conditions are among the
new ones, and if the other conditions and all columns can be computed from its own columns. The SQL
for this is bound by DuckDB again, and is used only if DuckDB reads the same expressions in it.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from provhouse.equivalence.empty_database import empty_database, whole_name
from provhouse.equivalence.keys import PlanKeys, plan_keys
from provhouse.equivalence.plan_form import (
    Call,
    ColumnReference,
    Constant,
    Expression,
    Filter,
    Operator,
    PlanForm,
    Project,
)
from provhouse.model.errors import BadInput

from .result_files import ResultFile

STORED = "stored"
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
"""Functions with two arguments or more, and the operators by which they are written."""


class NotContained(Exception):
    """The error for a result that the stored one does not contain, or not certainly."""


@dataclass(frozen=True)
class Parts:
    """A plan as conditions and columns over a base."""

    base: Operator
    conditions: tuple[Expression, ...]
    columns: tuple[Expression, ...]


def contained(plan: PlanForm, in_plan: PlanForm, stored: ResultFile, path: str) -> str:
    """Return SQL that computes a plan's rows from the stored rows of another, or an empty text."""
    try:
        return _contained(plan, in_plan, stored, path)
    except NotContained:
        return ""


def parts_of(root: Operator) -> Parts:
    """Take a plan apart."""
    if isinstance(root, Project):
        below = parts_of(root.inputs[0])
        return replace(below, columns=tuple(_inlined(e, below.columns) for e in root.expressions))
    if isinstance(root, Filter):
        below = parts_of(root.inputs[0])
        found = [_inlined(each, below.columns) for each in root.conditions]
        conditions = [one for each in found for one in _conjuncts(each)]
        return replace(below, conditions=(*below.conditions, *conditions))
    return Parts(root, (), tuple(map(ColumnReference, range(len(root.columns)))))


def _contained(plan: PlanForm, in_plan: PlanForm, stored: ResultFile, path: str) -> str:
    one, other = parts_of(plan.root), parts_of(in_plan.root)
    places = _same_base(plan, one, in_plan, other)
    mine = Parts(
        other.base,
        tuple(_inlined(each, places) for each in one.conditions),
        tuple(_inlined(each, places) for each in one.columns),
    )
    if not set(other.conditions) <= set(mine.conditions):
        raise NotContained
    more = [each for each in mine.conditions if each not in other.conditions]
    conditions = [_over(each, other.columns) for each in dict.fromkeys(more)]
    columns = [_over(each, other.columns) for each in mine.columns]
    texts = [_sql(each, stored.columns) for each in (*columns, *conditions)]
    listed = ", ".join(
        f"{text} as {whole_name((name,))}"
        for text, name in zip(texts[: len(columns)], plan.names, strict=True)
    )
    where = f" where {' and '.join(texts[len(columns) :])}" if conditions else ""
    _check(f"select {listed} from {STORED}{where}", in_plan, stored, columns, conditions)
    quoted = path.replace("'", "''")
    return f"select {listed} from read_parquet('{quoted}'){where}"


def _same_base(plan: PlanForm, one: Parts, in_plan: PlanForm, other: Parts) -> list[Expression]:
    """Return, for each column of the first base, the equal column of the second."""
    keys = [_base_keys(plan, one.base), _base_keys(in_plan, other.base)]
    if keys[0].rows != keys[1].rows or keys[0].below(keys[0].rows) != keys[1].below(keys[1].rows):
        raise NotContained
    known = {key: at for at, (_, key) in enumerate(keys[1].columns)}
    return [ColumnReference(known.get(key, -1)) for _, key in keys[0].columns]


def _base_keys(plan: PlanForm, base: Operator) -> PlanKeys:
    names = tuple(f"c{at}" for at in range(len(base.columns)))
    return plan_keys(replace(plan, root=base, names=names))


def _inlined(made: Expression, columns: Sequence[Expression]) -> Expression:
    """Return an expression with columns in the place of its references."""
    if isinstance(made, ColumnReference):
        found = columns[made.position]
        if found == ColumnReference(-1):
            raise NotContained
        return found
    if isinstance(made, Call):
        return replace(made, arguments=tuple(_inlined(each, columns) for each in made.arguments))
    return made


def _over(made: Expression, columns: Sequence[Expression]) -> Expression:
    """Return an expression over the columns of a result, which are expressions over the base."""
    if made in columns:
        return ColumnReference(columns.index(made))
    if isinstance(made, ColumnReference):
        raise NotContained
    if isinstance(made, Call):
        return replace(made, arguments=tuple(_over(each, columns) for each in made.arguments))
    return made


def _conjuncts(made: Expression) -> list[Expression]:
    if isinstance(made, Call) and made.function == "CONJUNCTION_AND":
        return [each for one in made.arguments for each in _conjuncts(one)]
    return [made]


def _sql(made: Expression, names: Sequence[str]) -> str:
    """Return an expression as SQL. Raises NotContained for what is not known here."""
    if isinstance(made, ColumnReference):
        return whole_name((names[made.position],))
    if isinstance(made, Constant):
        return _constant(made)
    arguments = [_sql(each, names) for each in made.arguments]
    if made.function in OPERATORS and len(arguments) > 1:
        return f"({f' {OPERATORS[made.function]} '.join(arguments)})"
    forms = {
        "OPERATOR_NOT": "(not {})",
        "OPERATOR_IS_NULL": "({} is null)",
        "OPERATOR_IS_NOT_NULL": "({} is not null)",
        "CAST": f"cast({{}} as {made.type})",
    }
    if made.function not in forms or len(arguments) != 1:
        raise NotContained
    return forms[made.function].format(*arguments)


def _constant(made: Constant) -> str:
    value = json.loads(made.value)
    found = value.get("value")
    if value.get("is_null") or not isinstance(found, str | int) or made.type.startswith("{"):
        raise NotContained
    text = "'{}'".format(str(found).replace("'", "''"))
    plain = {"INTEGER": str(found), "VARCHAR": text}
    return plain.get(made.type, f"cast({text} as {made.type})")


def _check(
    text: str,
    in_plan: PlanForm,
    stored: ResultFile,
    columns: Sequence[Expression],
    conditions: Sequence[Expression],
) -> None:
    """Raise NotContained unless DuckDB reads these columns and conditions in the text.

    The stored file must have the types of the plan: DuckDB stores HUGEINT as DOUBLE, for example.
    """
    types = [column.type for column in in_plan.root.columns]
    if types != list(stored.types):
        raise NotContained
    listed = zip(stored.columns, stored.types, strict=True)
    table = ", ".join(f"{whole_name((name,))} {type_}" for name, type_ in listed)
    try:
        with empty_database(f"create table {STORED}({table})") as database:
            found = parts_of(database.plan(text).root)
    except BadInput as error:
        raise NotContained from error
    scanned = [_position(found.base, at, stored) for at in range(len(found.base.columns))]
    read = tuple(_inlined(each, scanned) for each in found.columns)
    kept = [_inlined(each, scanned) for each in found.conditions]
    if read != tuple(columns) or kept != [*conditions]:
        raise NotContained


def _position(base: Operator, at: int, stored: ResultFile) -> Expression:
    names: Mapping[int, str] = dict(enumerate(getattr(base, "names", ())))
    return ColumnReference(stored.columns.index(names[at]) if names.get(at) else -1)
