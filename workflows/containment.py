"""Compute a result from a stored one: select from its rows and columns, and query missing rows.

Both queries are divided into a common base, conditions and columns (``parts.py``). The rows of the
new query that meet the stored query's conditions are in the stored result. The other rows are found
by the *delta*: the new query with the added condition that the stored query's conditions are not
true. If the delta cannot have any rows, the stored result suffices. The generated SQL is bound by
DuckDB again, and used only if DuckDB finds the same expressions in it.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial

from provhouse.equivalence.empty_database import empty_database, whole_name
from provhouse.equivalence.keys import plan_keys
from provhouse.equivalence.plan_form import (
    Call,
    ColumnReference,
    Constant,
    Expression,
    Limit,
    Operator,
    PlanForm,
    Sort,
    Union,
    doubts,
)
from provhouse.equivalence.verdict import Revision as Query
from provhouse.equivalence.verdict import compare
from provhouse.model.errors import BadInput

from .delta_text import branches, lacking
from .expression_sql import plain_type, sql_of
from .implication import implied
from .parts import NotContained, Parts, conjuncts, inlined, over, parts_of, same_base
from .result_files import ROW_NUMBER, ResultFile
from .revisions import SinkPlan

STORED = "stored"


@dataclass(frozen=True)
class Contained:
    """The queries that compute a result from a stored one, and from the tables."""

    sql: str
    """A query for the rows of the result that are among the stored rows."""
    delta: str = ""
    """A query over the tables for the other rows of the result; empty if there are none."""


@dataclass(frozen=True)
class StoredRows:
    """How SQL refers to the rows of a stored result."""

    columns: tuple[str, ...]
    types: tuple[str, ...]
    source: str
    """A FROM item with the rows."""
    numbered: str
    """A FROM item with the rows and a column of row numbers."""
    number: str
    """The name of the column of row numbers."""


def stored_rows(stored: ResultFile, path: str) -> StoredRows:
    """Return how SQL refers to the rows of a stored result in a file."""
    quoted = path.replace("'", "''")
    numbered = f"read_parquet('{quoted}', {ROW_NUMBER}=true)"
    source = f"read_parquet('{quoted}')"
    return StoredRows(stored.columns, stored.types, source, numbered, ROW_NUMBER)


def contained(
    new: SinkPlan, old: SinkPlan, stored: StoredRows, *, proving: bool = True
) -> Contained | None:
    """Return how to compute a plan's rows from another plan's stored rows; None if unknown.

    Without ``proving``, the delta counts as empty only if constants alone show this.
    """
    if old.source != "sql" or new.source != "sql" or doubts(old.plan):
        return None
    for way in (partial(_parted, proving=proving), _shorter, _branch):
        with suppress(NotContained, BadInput):
            return way(new, old, stored)
    return None


def _parted(new: SinkPlan, old: SinkPlan, stored: StoredRows, *, proving: bool) -> Contained:
    """Return the query for the rows that meet both conditions, and the delta for the others."""
    if new.ordered:
        raise NotContained
    one, other = parts_of(new.plan.root), parts_of(old.plan.root)
    mine = one.at(same_base(new.plan, one, old.plan, other), other.base)
    more = [each for each in mine.conditions if each not in other.conditions]
    conditions = [over(each, other.columns) for each in dict.fromkeys(more)]
    columns = [over(each, other.columns) for each in mine.columns]
    texts = [sql_of(each, stored.columns) for each in (*columns, *conditions)]
    listed = ", ".join(
        f"{text} as {whole_name((name,))}"
        for text, name in zip(texts[: len(columns)], new.plan.names, strict=True)
    )
    where = f" where {' and '.join(texts[len(columns) :])}" if conditions else ""
    _check(f"select {listed} from {STORED}{where}", old.plan, stored, columns, conditions)
    sql = f"select {listed} from {stored.source}{where}"
    left = [each for each in other.conditions if each not in mine.conditions]
    if all(implied(mine.conditions, each) for each in left):
        return Contained(sql)
    return Contained(sql, _delta(new, old, mine, left, proving))


def _delta(
    new: SinkPlan, old: SinkPlan, mine: Parts, left: Sequence[Expression], proving: bool
) -> str:
    """Return the delta: a query for the rows that are not stored; empty if there are none."""
    delta, included = lacking(new.text, old.text)
    _check_delta(delta, new, old, mine, left)
    if proving and compare(Query(new.text, new.ddl), Query(included, new.ddl)).kind == "equal":
        return ""
    return delta


def _check_delta(
    delta: str, new: SinkPlan, old: SinkPlan, mine: Parts, left: Sequence[Expression]
) -> None:
    """Raise NotContained unless the delta adds exactly one condition: ``left`` is not true."""
    with empty_database(new.ddl) as database:
        plan = database.plan(delta)
    found = parts_of(plan.root)
    read = found.at(same_base(plan, found, old.plan, parts_of(old.plan.root)), mine.base)
    more = [each for each in read.conditions if each not in mine.conditions]
    lost = [each for each in mine.conditions if each not in read.conditions]
    names = plan.names == new.plan.names
    if not names or read.columns != mine.columns or lost or len(more) != 1:
        raise NotContained
    if set(conjuncts(_not_true(more[0]))) != set(left):
        raise NotContained


def _not_true(made: Expression) -> Expression:
    """Return the condition C of an expression of the form "C is not true"."""
    if isinstance(made, Call) and made.function == "OPERATOR_NOT":
        (inner,) = made.arguments
        if isinstance(inner, Call) and inner.function == "COMPARE_NOT_DISTINCT_FROM":
            return _beside_true(inner)
    if isinstance(made, Call) and made.function == "COMPARE_DISTINCT_FROM":
        return _beside_true(made)
    raise NotContained


def _beside_true(made: Call) -> Expression:
    condition, value = made.arguments
    if not isinstance(value, Constant) or sql_of(value, ()) != "cast(true as BOOLEAN)":
        raise NotContained
    return condition


def _shorter(new: SinkPlan, old: SinkPlan, stored: StoredRows) -> Contained:
    """Return the first rows of an ordered stored result, for a query with a smaller LIMIT."""
    (one, count, rows), (other, longer, below) = (_limited(each.plan.root) for each in (new, old))
    same = _same_rows(new.plan, rows, old.plan, below)
    if count > longer or one.order != other.order or not same:
        raise NotContained
    if stored.number in stored.columns:
        raise NotContained
    listed = ", ".join(
        f"{whole_name((column,))} as {whole_name((name,))}"
        for column, name in zip(stored.columns, new.plan.names, strict=True)
    )
    order = f"order by {stored.number} limit {count}"
    return Contained(f"select {listed} from {stored.numbered} {order}")


def _limited(root: Operator) -> tuple[Sort, int, Operator]:
    if not isinstance(root, Limit) or root.count is None or root.offset:
        raise NotContained
    (sort,) = root.inputs
    if not isinstance(sort, Sort):
        raise NotContained
    return sort, root.count, sort.inputs[0]


def _branch(new: SinkPlan, old: SinkPlan, stored: StoredRows) -> Contained:
    """Return the stored result for one side of a UNION ALL, and the query for the other side."""
    root = new.plan.root
    if not isinstance(root, Union) or len(root.inputs) != 2:
        raise NotContained
    texts = branches(new.text)
    for at, delta in ((0, texts[1]), (1, texts[0])):
        with empty_database(new.ddl) as database:
            plan = database.plan(delta)
        if _same_rows(new.plan, root.inputs[at], old.plan, old.plan.root) and _same_rows(
            new.plan, root.inputs[1 - at], plan, plan.root
        ):
            _check_types(old.plan, stored)
            listed = ", ".join(
                f"{whole_name((column,))} as {whole_name((name,))}"
                for column, name in zip(stored.columns, new.plan.names, strict=True)
            )
            return Contained(f"select {listed} from {stored.source}", delta)
    raise NotContained


def _same_rows(plan: PlanForm, one: Operator, in_plan: PlanForm, other: Operator) -> bool:
    """Return whether operators of two plans have the same rows and columns."""
    names = tuple(f"c{at}" for at in range(len(one.columns)))
    if len(names) != len(other.columns):
        return False
    keys = [plan_keys(replace(of, root=root, names=names))
            for of, root in ((plan, one), (in_plan, other))]  # fmt: skip
    same = keys[0].whole == keys[1].whole
    return same and keys[0].below(keys[0].whole) == keys[1].below(keys[1].whole)


def _check_types(plan: PlanForm, stored: StoredRows) -> None:
    """Raise NotContained unless the stored file has the same types as the plan.

    For example, DuckDB stores HUGEINT as DOUBLE.
    """
    if [plain_type(column.type) for column in plan.root.columns] != list(stored.types):
        raise NotContained


def _check(
    text: str,
    in_plan: PlanForm,
    stored: StoredRows,
    columns: Sequence[Expression],
    conditions: Sequence[Expression],
) -> None:
    """Raise NotContained unless DuckDB binds ``text`` to these columns and conditions."""
    _check_types(in_plan, stored)
    listed = zip(stored.columns, stored.types, strict=True)
    table = ", ".join(f"{whole_name((name,))} {type_}" for name, type_ in listed)
    with empty_database(f"create table {STORED}({table})") as database:
        found = parts_of(database.plan(text).root)
    scanned = [_position(found.base, at, stored) for at in range(len(found.base.columns))]
    read = tuple(inlined(each, scanned) for each in found.columns)
    kept = [inlined(each, scanned) for each in found.conditions]
    if read != tuple(columns) or kept != [*conditions]:
        raise NotContained


def _position(base: Operator, at: int, stored: StoredRows) -> Expression:
    names: Mapping[int, str] = dict(enumerate(getattr(base, "names", ())))
    return ColumnReference(stored.columns.index(names[at]) if names.get(at) else -1)
