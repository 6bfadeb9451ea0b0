"""The operation of a dbt model: its name, its kind, and its description."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import sqlglot
from sqlglot import exp

from provhouse.sql.blocks import is_grouped

from ..result import Result
from ..saving import operation_of

FUNCTIONS: Mapping[type[exp.Expr], str] = {
    exp.Sum: "sum", exp.Count: "count", exp.Min: "min", exp.Max: "max", exp.Avg: "avg"
}  # fmt: skip


@dataclass(frozen=True)
class ModelOp:
    """The operation that made a model's rows, with the fields of a row of ``ops.csv``."""

    op: str
    kind: str
    function: str
    sql: str
    place: str
    exactness: str


def model_op(
    model: str, file: str, compiled: str, result: Result, tables: Collection[str]
) -> ModelOp:
    """Return the operation of a model. ``tables`` are the names of the tables that it reads."""
    aggregates = result.connection.catalog().functions.aggregates
    root = _whole(sqlglot.parse_one(compiled, dialect="duckdb"))
    exactness = _exactness(root, result)
    named = {*tables, *(each.alias for each in root.ctes)}
    if all(operation_of(each.this, named, aggregates)[1] == "all" for each in root.ctes):
        root.set("with_", None)  # they only filter, project and join
    found, kind = operation_of(root, named, aggregates)
    name = model if found == "select" else f"{model}: {_titled(found, root)}"
    function = _function(root) if is_grouped(root) else ""
    return ModelOp(name, kind, function, compiled, file, exactness)


def _whole(root: Any) -> Any:
    """Return a query; if it is ``select * from`` its last CTE, return the CTE's query instead."""
    parts = {part: value for part, value in root.args.items() if value}
    if parts.keys() != {"with_", "from_", "expressions"} or not root.is_star:
        return root
    last, source = root.ctes[-1], root.args["from_"].this
    if source.name != last.alias or source.args.get("db") or last.this.args.get("with_"):
        return root
    if len(root.expressions) > 1 or any(root.expressions[0].args.values()):
        return root  # `* exclude`, or further columns
    before = [each.copy() for each in root.ctes[:-1]]
    query = last.this.copy()
    if before:
        query.set("with_", exp.With(expressions=before))
    return query


def _titled(op: str, root: Any) -> str:
    """Return an operation with its keys, such as ``group by country``."""
    group = root.args.get("group")
    if op != "group by":
        return op
    keys = [_key(each, root) for each in group.expressions] if group else []
    return f"group by {', '.join(keys)}" if keys else "group by" if group else "aggregate"


def _key(key: Any, root: Any) -> str:
    """Return the name of a GROUP BY key, even if the query gives its position in SELECT instead."""
    if isinstance(key, exp.Literal) and key.is_int and int(key.name) <= len(root.expressions):
        key = root.expressions[int(key.name) - 1]
    return str(key.alias_or_name or key.sql("duckdb"))


def _function(root: Any) -> str:
    """Return the aggregate function of a query; ``other`` unless there is exactly one."""
    listed = [call for each in root.expressions for call in each.find_all(exp.AggFunc)]
    found = {_name(call) for call in listed}
    return found.pop() if len(found) == 1 else "other"


def _name(call: Any) -> str:
    name = FUNCTIONS.get(type(call), "other")
    if name == "count" and isinstance(call.this, exp.Distinct):
        return "count_distinct"
    return name


def _exactness(root: Any, result: Result) -> str:
    outer = any(join.side in ("LEFT", "RIGHT", "FULL") for join in root.find_all(exp.Join))
    if result.negative or result.choices or outer:
        return "absence"
    return "superset" if root.find(exp.Window) else "exact"
