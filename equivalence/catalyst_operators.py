"""Translate the operators of Spark's analysed plans."""

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from .catalyst_aggregates import aggregated, sum_varies
from .catalyst_expressions import (
    Scope,
    constant,
    expression,
    expressions,
    id_of,
    sort_keys,
    window_call,
)
from .catalyst_node import CatalystNode, Node, columns_of, object_of
from .catalyst_scans import scanned
from .catalyst_subqueries import Translating as TranslatingSubqueries
from .catalyst_subqueries import joined
from .node_reader import NotTranslated
from .plan_form import (
    AggregatedRows,
    Call,
    Column,
    ColumnReference,
    Except,
    Expression,
    Filter,
    Generate,
    Intersect,
    Join,
    Limit,
    Opaque,
    Operator,
    Project,
    Scan,
    Sort,
    Union,
    Values,
    Window,
)
from .variation import groups_vary, limit_varies, window_varies

JOINS = {
    "Inner": "INNER", "Cross": "INNER", "LeftOuter": "LEFT", "RightOuter": "RIGHT",
    "FullOuter": "FULL", "LeftSemi": "SEMI", "LeftAnti": "ANTI",
}  # fmt: skip
ONE_ROW = Values((), (), "", ((),))
OFFSET = "Spark may lose the order of rows before an OFFSET without LIMIT"
Inputs = tuple[Operator, ...]


class Translating(TranslatingSubqueries, Protocol):
    """The translation of a plan."""

    whole: Node
    with_queries: dict[int, Operator]
    """The WITH queries, by Spark's ids."""


def _same_rows(_: Translating, part: CatalystNode, node: Node, inputs: Inputs) -> Operator:
    """Return the input of a node that only has names or hints, which do not change rows."""
    part.skip("child", *UNCHANGED[part.kind])
    if part.kind == "View":
        part.expect(options={"map": []})
    return inputs[0]


def _moved_rows(_: Translating, part: CatalystNode, node: Node, inputs: Inputs) -> Operator:
    """Return the input without an order, because its rows move between tasks."""
    part.skip("child", *UNCHANGED[part.kind])
    return unordered(inputs[0])


def unordered(made: Operator) -> Operator:
    """Return an operator whose rows have no order."""
    if isinstance(made, Sort):
        return unordered(made.inputs[0])
    if isinstance(made, Project):
        return Project((unordered(made.inputs[0]),), made.columns, made.varies, made.expressions)
    if isinstance(made, Filter):
        return Filter((unordered(made.inputs[0]),), made.columns, made.varies, made.conditions)
    if isinstance(made, Limit) and not isinstance(unordered(made.inputs[0]), type(made.inputs[0])):
        raise NotTranslated("a repartition of the first rows of an order")
    return made


def _files(of: Translating, part: CatalystNode, node: Node, inputs: Inputs) -> Operator:
    """Return the scan of a table by its name, or of files by their paths and format."""
    relation, table = part.take("relation"), part.take("catalogTable")
    part.expect(isStreaming=False, stream=None)
    part.skip("output")
    path, reading = scanned(node, relation, table, of.whole)
    names = tuple(each[1] for each in node["output"])
    return Scan((), columns_of(node["output"]), "", path, names, (), reading)


def _range(_: Translating, part: CatalystNode, node: Node, inputs: Inputs) -> Operator:
    part.expect(isStreaming=False)
    part.skip("output", "numSlices")
    ends = [constant(part.take(name), "long") for name in ("start", "end", "step")]
    rows = Call("RANGE", "long", tuple(ends))
    return Generate((ONE_ROW,), columns_of(node["output"]), "", (rows,))


def _local(_: Translating, part: CatalystNode, node: Node, inputs: Inputs) -> Operator:
    part.expect(isStreaming=False, stream=None)
    part.skip("output")
    columns = columns_of(node["output"])
    rows = tuple(
        tuple(constant(value, column.type) for value, column in zip(row, columns, strict=True))
        for row in part.take("data")
    )
    return Values((), columns, "", rows)


def _one_row(_: Translating, part: CatalystNode, node: Node, inputs: Inputs) -> Operator:
    return ONE_ROW


def _with_reference(of: Translating, part: CatalystNode, node: Node, inputs: Inputs) -> Operator:
    """Return the WITH query that a node reads."""
    part.expect(isStreaming=False, recursive=False, maxRows=None, isUnlimitedRecursion=False)
    part.skip("_resolved", "output", "statsOpt")
    found = of.with_queries.get(part.take("cteId"))
    if found is None:
        raise NotTranslated("a WITH query of another plan")
    if isinstance(found, Opaque):
        raise NotTranslated(found.reason)
    return found


def _filter(of: Translating, part: CatalystNode, node: Node, inputs: Inputs) -> Operator:
    child = part.take("child")
    scope, below = joined(of, node, child, inputs[0])
    made = expression(part.take("condition"), scope)
    kept = Filter((below,), below.columns, _reason(scope), (made,))
    width = len(inputs[0].columns)
    if below is inputs[0]:
        return kept
    return Project((kept,), kept.columns[:width], "", tuple(map(ColumnReference, range(width))))


def _project(of: Translating, part: CatalystNode, node: Node, inputs: Inputs) -> Operator:
    child = part.take("child")
    scope, below = joined(of, node, child, inputs[0])
    made = expressions(part.take("projectList"), scope)
    return Project((below,), columns_of(node["output"]), _reason(scope), made)


def _join(of: Translating, part: CatalystNode, node: Node, inputs: Inputs) -> Operator:
    left, right = part.take("left"), part.take("right")
    kind = JOINS.get(object_of(part.take("joinType")))
    part.skip("hint")
    if kind is None:
        raise NotTranslated("a join of an unknown kind")
    scope = of.scope(left, right)
    if len(set(scope.ids)) < len({*(each[0] for each in left["output"])}) + len(
        {*(each[0] for each in right["output"])}
    ):
        raise NotTranslated("a join of columns with one number")
    condition = part.take("condition")
    conditions = () if condition is None else (expression(condition, scope),)
    return Join(inputs, columns_of(node["output"]), _reason(scope), kind, conditions, ())


def _aggregate(of: Translating, part: CatalystNode, node: Node, inputs: Inputs) -> Operator:
    child = part.take("child")
    part.skip("hint")
    scope, below = joined(of, node, child, inputs[0])
    groups = part.take("groupingExpressions")
    return aggregated(groups, part.take("aggregateExpressions"), scope, below, node)


def _distinct(_: Translating, part: CatalystNode, node: Node, inputs: Inputs) -> Operator:
    """Return DISTINCT as a grouping by all columns."""
    part.skip("child")
    columns = columns_of(node["output"])
    if part.kind == "Deduplicate":
        keys = {id_of(each) for each in part.take("keys")}
        if keys != {each[0] for each in node["output"]}:
            raise NotTranslated("one row for some columns")
    whole = tuple(ColumnReference(at) for at in range(len(columns)))
    varies = groups_vary([each.type for each in columns])
    return AggregatedRows(inputs, columns, varies, whole, (tuple(range(len(whole))),), (), ())


def _window(of: Translating, part: CatalystNode, node: Node, inputs: Inputs) -> Operator:
    (below,) = inputs
    part.skip("hint")
    scope = of.scope(part.take("child"))
    partitions = expressions(part.take("partitionSpec"), scope)
    order = sort_keys(part.take("orderSpec"), scope)
    functions = tuple(window_call(_named(each), scope) for each in part.take("windowExpressions"))
    if any((each.partitions, each.order) != (partitions, order) for each in functions):
        raise NotTranslated("a window of several orders")
    found = [window_varies(each, below) for each in functions]
    found += [sum_varies(each.call, below.columns) for each in functions]
    return Window(inputs, columns_of(node["output"]), _reason(scope) or max(found), functions)


def _named(node: Node) -> Node:
    with CatalystNode(node) as part:
        if part.kind != "Alias":
            raise NotTranslated(part.kind)
        part.skip("name", *(f"further argument {at}" for at in range(4)))
        return dict(part.take("child"))


def _sort(of: Translating, part: CatalystNode, node: Node, inputs: Inputs) -> Operator:
    scope = of.scope(part.take("child"))
    part.skip("hint")
    order = sort_keys(part.take("order"), scope)
    if not part.take("global"):
        return unordered(inputs[0])  # each task has an order of its own
    return Sort(inputs, inputs[0].columns, _reason(scope), order)


def _limit(_: Translating, part: CatalystNode, node: Node, inputs: Inputs) -> Operator:
    """Return the first rows. Spark plans two limits: one for each task, then one for all tasks."""
    count = _number(part.take("limitExpr"))
    with CatalystNode(part.take("child")) as local:
        local.skip("child")
        if local.kind != "LocalLimit" or _number(local.take("limitExpr")) != count:
            raise NotTranslated("a limit of all tasks alone")
    (below,) = inputs
    offset = 0
    if isinstance(below, Limit) and below.count is None:
        offset = below.offset
        (below,) = below.inputs
    return Limit((below,), below.columns, limit_varies(below, count), count, offset)


def _offset(_: Translating, part: CatalystNode, node: Node, inputs: Inputs) -> Operator:
    part.skip("child")
    (below,) = inputs
    count = _number(part.take("offsetExpr"))
    return Limit(inputs, below.columns, OFFSET, None, count)


def _number(node: Node) -> int:
    with CatalystNode(node) as part:
        value, type_ = part.take("value"), part.take("dataType")
        if part.kind != "Literal" or type_ != "integer" or not isinstance(value, int):
            raise NotTranslated("a limit that is not a number")
        return value


def _union(_: Translating, part: CatalystNode, node: Node, inputs: Inputs) -> Operator:
    part.skip("children")
    part.expect(byName=False, allowMissingCol=False)
    return _united(inputs, columns_of(node["output"]))


def _united(inputs: Sequence[Operator], columns: tuple[Column, ...]) -> Operator:
    types = [each.type for each in columns]
    if any([each.type for each in side.columns] != types for side in inputs):
        raise NotTranslated("a union of different columns")
    made = inputs[0]
    for other in inputs[1:]:
        made = Union((made, other), columns, "")
    return made


def _expand(of: Translating, part: CatalystNode, node: Node, inputs: Inputs) -> Operator:
    """Return the rows of all grouping sets, as a union of one projection per grouping set."""
    scope = of.scope(part.take("child"))
    part.skip("output")
    columns = columns_of(node["output"])
    made = []
    for projection in part.take("projections"):
        each = expressions(projection, scope)
        made.append(Project(inputs, columns, _reason(scope), each))
    return _united(made, columns)


def _set_operation(_: Translating, part: CatalystNode, node: Node, inputs: Inputs) -> Operator:
    part.skip("left", "right")
    one, other = ([each.type for each in side.columns] for side in inputs)
    if one != other:
        raise NotTranslated(f"{part.kind} of different columns")
    made = Except if part.kind == "Except" else Intersect
    return made(inputs, columns_of(node["output"]), groups_vary(one), part.take("isAll"))


def _generate(of: Translating, part: CatalystNode, node: Node, inputs: Inputs) -> Operator:
    part.expect(unrequiredChildIndex=[])
    part.skip("qualifier", "generatorOutput")
    scope = of.scope(part.take("child"))
    with CatalystNode(part.take("generator")) as generator:
        if generator.kind != "Explode":
            raise NotTranslated(generator.kind)
        made: Expression = expression(generator.take("child"), scope)
    columns = columns_of(node["output"])
    if len(columns) != len(inputs[0].columns) + 1:
        raise NotTranslated("the elements of a map")
    if part.take("outer"):
        made = Call("OR_NULL", columns[-1].type, (made,))
    return Generate(inputs, columns, _reason(scope), (made,))


def _reason(scope: Scope) -> str:
    return scope.varies[0] if scope.varies else ""


UNCHANGED: Mapping[str, tuple[str, ...]] = {
    "SubqueryAlias": ("identifier",),
    "View": ("desc", "isTempView"),
    "ResolvedHint": ("hints",),
    "Repartition": ("numPartitions", "shuffle"),
    "RepartitionByExpression": (
        "partitionExpressions", "optNumPartitions", "optAdvisoryPartitionSize",
    ),
    "RebalancePartitions": (
        "partitionExpressions", "optNumPartitions", "optAdvisoryPartitionSize",
    ),
}  # fmt: skip
"""Arguments that do not change rows: names, hints, and how rows are distributed over tasks."""
Translator = Callable[[Translating, CatalystNode, Node, Inputs], Operator]
TRANSLATED: Mapping[str, Translator] = {
    "execution.datasources.LogicalRelation": _files,
    "LocalRelation": _local,
    "OneRowRelation": _one_row,
    "Range": _range,
    "CTERelationRef": _with_reference,
    "SubqueryAlias": _same_rows,
    "View": _same_rows,
    "ResolvedHint": _same_rows,
    "Repartition": _moved_rows,
    "RepartitionByExpression": _moved_rows,
    "RebalancePartitions": _moved_rows,
    "Filter": _filter,
    "Project": _project,
    "Join": _join,
    "Aggregate": _aggregate,
    "Distinct": _distinct,
    "Deduplicate": _distinct,
    "Window": _window,
    "Sort": _sort,
    "GlobalLimit": _limit,
    "Offset": _offset,
    "Union": _union,
    "Expand": _expand,
    "Except": _set_operation,
    "Intersect": _set_operation,
    "Generate": _generate,
}
