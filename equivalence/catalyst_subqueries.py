"""Translate subqueries in Spark's expressions to joins below the operator that contains them.

A scalar subquery becomes a SINGLE join, whose column the expression reads. IN and EXISTS become
MARK joins. The first conditions of the join are the columns that the subquery reads from the
enclosing operator; inside the subquery, ``OUTER_REFERENCE`` contains the position of such a
condition.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from .catalyst_expressions import Scope, expressions, id_of
from .catalyst_node import CatalystNode, Node, catalyst_type, is_node, is_plan, kind_of
from .node_reader import NotTranslated
from .plan_form import Call, Column, ColumnReference, Expression, Join, Opaque, Operator

SUBQUERIES = frozenset({"ScalarSubquery", "Exists", "InSubquery"})
BOOLEAN = "boolean"


@dataclass
class Outer:
    """The columns of the enclosing operator that a subquery may read."""

    ids: Sequence[str]
    columns: Sequence[Column]
    used: list[int] = field(default_factory=list)
    """The positions of the columns that the subquery actually reads."""

    def reference(self, node: Node) -> Expression | None:
        """Return a reference to a column of the enclosing operator; None for any other node."""
        if kind_of(node) != "OuterReference":
            return None
        with CatalystNode(node) as part:
            id_ = id_of(part.take("e"))
            if not id_ or id_ not in self.ids:
                raise NotTranslated("a subquery that reads more than the operator around it")
            at = list(self.ids).index(id_)
            if at not in self.used:
                self.used.append(at)
            number = (("number", str(self.used.index(at))),)
            return Call("OUTER_REFERENCE", catalyst_type(part.type), (), number)


class Translating(Protocol):
    """The interface of a translation of operators."""

    def operator(self, node: Node) -> Operator:
        """Return the translated operator of a node."""

    def scope(self, *nodes: Node) -> Scope:
        """Return the scope of expressions over the columns of the given nodes."""

    def inside(self, outer: Outer) -> "Translating":
        """Return the translation to use for a subquery."""


def joined(of: Translating, node: Node, child: Node, below: Operator) -> tuple[Scope, Operator]:
    """Return the scope of a node's expressions, and its input joined with their subqueries."""
    scope = of.scope(child)
    around, marks = scope.known, dict[int, Expression]()
    ids, columns = list(scope.ids), list(scope.columns)
    for each in _subqueries(node["fields"]):
        below = _with_subquery(of, each, scope, below)
        marks[id(each)] = ColumnReference(len(columns))
        ids.append("")
        columns.append(below.columns[-1])
    scope.ids, scope.columns = ids, columns
    scope.known = lambda part: marks.get(id(part)) or around(part)
    return scope, below


def _subqueries(part: Any) -> list[Node]:
    if is_plan(part):
        return []
    if is_node(part) and kind_of(part) in SUBQUERIES:
        return [part]
    inner = part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()
    return [each for one in inner for each in _subqueries(one)]


def _with_subquery(of: Translating, node: Node, scope: Scope, below: Operator) -> Operator:
    values: tuple[Expression, ...] = ()
    query = node
    if kind_of(node) == "InSubquery":
        with CatalystNode(node) as part:
            values = expressions(part.take("values"), scope)
            query = part.take("query")
    outer = Outer(scope.ids, scope.columns)
    plan = _plan(of.inside(outer), query, scope, outer)
    around: tuple[Expression, ...] = tuple(map(ColumnReference, outer.used))
    correlated = tuple(scope.columns[at].type for at in outer.used)
    if kind_of(node) == "ScalarSubquery":
        if len(plan.columns) != 1:
            raise NotTranslated("a scalar subquery of several columns")
        columns = (*below.columns, Column(plan.columns[0].type, True))
        return Join((below, plan), columns, "", "SINGLE", around, correlated)
    width = len(below.columns)
    pairs = [(value, ColumnReference(width + at)) for at, value in enumerate(values)]
    equal = tuple(Call("COMPARE_EQUAL", BOOLEAN, pair) for pair in pairs)
    columns = (*below.columns, Column(BOOLEAN, True))
    return Join((below, plan), columns, "", "MARK", (*around, *equal), correlated)


def _plan(inside: Translating, query: Node, scope: Scope, outer: Outer) -> Operator:
    with CatalystNode(query) as part:
        if part.kind not in ("ScalarSubquery", "Exists", "ListQuery"):
            raise NotTranslated(part.kind)
        part.expect(joinCond=[], mayHaveCountBug=None, needSingleJoin=None)
        part.skip("exprId", "hint", "numCols")
        plan = inside.operator(part.take("plan"))
        read = {id_of(each) for each in part.take("outerAttrs")}
    if isinstance(plan, Opaque):
        raise NotTranslated(plan.reason)
    if read != {scope.ids[at] for at in outer.used}:
        raise NotTranslated("a subquery that reads more than the operator around it")
    return plan
