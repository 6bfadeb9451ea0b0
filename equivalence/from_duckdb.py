"""Translate the operators of DuckDB's bound, unoptimised plans.

Every argument of every node is read. A node with an unknown argument becomes an ``Opaque``
operator, which has the translated inputs and the reason.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .duckdb_expressions import (
    ROW_ID,
    Node,
    aggregation,
    column_of,
    expression,
    expressions,
    sort_keys,
    window_call,
)
from .existence import existence, is_count_of_rows
from .known_functions import COMPARISONS
from .node_reader import NodeReader, NotTranslated, canonical, path_of, type_text
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
from .scalar_subquery import scalar_subquery
from .variation import aggregation_varies, groups_vary, limit_varies, window_varies

NO_COLUMN = (1 << 64) - 1
ONE_ROW = Values((), (), "", ((),))
BOTH = frozenset({"INNER", "LEFT", "RIGHT", "FULL", "SINGLE"})
"""Types of joins whose columns are the columns of both inputs."""


@dataclass(frozen=True)
class ForeignKey:
    """A foreign key: if none of its values is NULL, they are a key of a row in ``table``."""

    columns: tuple[str, ...]
    table: tuple[str, ...]
    referred: tuple[str, ...]


@dataclass(frozen=True)
class TableFacts:
    """The constraints of a table, as DuckDB's catalogue records them."""

    not_null: frozenset[str]
    unique: tuple[str, ...]
    """The columns of the primary key."""
    keys: tuple[tuple[str, ...], ...] = ()
    """The columns of the primary key and of each UNIQUE constraint."""
    foreign: tuple[ForeignKey, ...] = ()


@dataclass
class Translation:
    """The translation of one plan, which keeps the plan's tables and WITH queries."""

    tables: Mapping[tuple[str, ...], TableFacts]
    _with: dict[int, Operator] = field(default_factory=dict)

    def operator(self, node: Node) -> Operator:
        """Return the operator of a node; it is opaque if a part of the node is not known."""
        kind = node.get("type", "")
        if kind == "LOGICAL_MATERIALIZED_CTE":
            return self._with_query(node)
        if (found := scalar_subquery(node)) is not None:
            return self._scalar(*found)
        inputs = tuple(map(self.operator, node.get("children", ())))
        try:
            if any(isinstance(each, Opaque) for each in inputs):
                raise NotTranslated(next(e.reason for e in inputs if isinstance(e, Opaque)))
            if kind not in TRANSLATED:
                raise NotTranslated(kind)
            with NodeReader(node) as part:
                part.skip("type", "children")
                return TRANSLATED[kind](self, part, inputs)
        except NotTranslated as reason:
            return _opaque(node, inputs, str(reason))

    def _with_query(self, node: Node) -> Operator:
        """Translate a WITH query, and then the query that reads it."""
        query, reader = node["children"]
        self._with[node.get("table_index", 0)] = self.operator(query)
        known = {"type", "children", "table_index", "column_count", "ctename", "materialize"}
        made = self.operator(reader)
        return made if set(node) <= known else _opaque(node, (made,), "a WITH query")

    def _scalar(self, query: Node, value: Node) -> Operator:
        """Return one row with the value of a scalar subquery, or with NULL if it has no row."""
        below = self.operator(query)
        try:
            if isinstance(below, Opaque):
                raise NotTranslated(below.reason)
            made = expression(value, below.columns)
        except NotTranslated as reason:
            return _opaque(query, (below,), str(reason))
        column = column_of(made, below.columns)
        rows = Project((below,), (column,), "", (made,))
        return Join((ONE_ROW, rows), (_outer(column, True),), "", "SINGLE", (), ())

    def with_reference(self, part: NodeReader, inputs: Sequence[Operator]) -> Operator:
        """Return the WITH query that a node reads."""
        found = self._with.get(part.take("cte_index", 0))
        part.skip("bound_columns")
        types = [type_text(each) for each in part.take("chunk_types", [])]
        if isinstance(found, Opaque):
            raise NotTranslated(found.reason)
        if found is None or [column.type for column in found.columns] != types:
            raise NotTranslated("a WITH query that is recursive or correlated")
        return found

    def scan(self, part: NodeReader, inputs: Sequence[Operator]) -> Operator:
        """Return the scan of a table."""
        if path_of(part.take("qname")) != ["seq_scan"]:
            raise NotTranslated("a table function")
        none: dict[str, Any] = {"projection_ids": [], "arguments": [], "parameters": []}
        part.expect(**none, table_filters={}, named_parameters=[], input_table_types=[])
        part.expect(projected_input=[], table_filters_by_projection=True)
        data, names, types = (
            part.take(each) for each in ("function_data", "names", "returned_types")
        )
        with NodeReader(data) as table:
            table.expect(is_index_scan=False, is_create_index=False)
            table.skip("catalog", "schema", "table")
            path = tuple(path_of(table.take("qualified_name")))
        facts = self.tables[path]
        read = [_index(each) for each in part.take("column_indexes")]
        columns = tuple(_column(at, names, types, facts) for at in read)
        listed = tuple("" if at == NO_COLUMN else names[at] for at in read)
        return Scan((), columns, "", path, listed, facts.unique)


def _index(node: Node) -> int:
    with NodeReader(node) as part:
        return int(part.take("index", 0))


def _column(at: int, names: Sequence[str], types: Sequence[Node], facts: TableFacts) -> Column:
    if at == NO_COLUMN:
        return ROW_ID
    return Column(type_text(types[at]), names[at] not in facts.not_null)


def _opaque(node: Node, inputs: tuple[Operator, ...], reason: str) -> Opaque:
    digest = hashlib.sha256(canonical(node).encode()).hexdigest()
    return Opaque(inputs, (), "", reason, digest)


def _values(_: Translation, part: NodeReader, inputs: Sequence[Operator]) -> Operator:
    rows = tuple(expressions(row, ()) for row in part.take("expressions"))
    types = [type_text(each) for each in part.take("expr_types")]
    if any([column_of(each, ()).type for each in row] != types for row in rows):
        raise NotTranslated("VALUES of several types")
    return Values((), tuple(Column(type_, True) for type_ in types), "", rows)


def _one_row(_: Translation, part: NodeReader, inputs: Sequence[Operator]) -> Operator:
    return ONE_ROW


def _no_rows(_: Translation, part: NodeReader, inputs: Sequence[Operator]) -> Operator:
    part.skip("bindings")
    types = map(type_text, part.take("return_types"))
    return Values((), tuple(Column(type_, True) for type_ in types), "", ())


def _filter(_: Translation, part: NodeReader, inputs: tuple[Operator, ...]) -> Operator:
    columns = inputs[0].columns
    return Filter(inputs, columns, "", expressions(part.take("expressions"), columns))


def _project(_: Translation, part: NodeReader, inputs: tuple[Operator, ...]) -> Operator:
    columns = inputs[0].columns
    made = expressions(part.take("expressions"), columns)
    return Project(inputs, tuple(column_of(each, columns) for each in made), "", made)


def _aggregate(_: Translation, part: NodeReader, inputs: tuple[Operator, ...]) -> Operator:
    columns = inputs[0].columns
    part.skip("group_index", "aggregate_index", "groupings_index")
    groups = expressions(part.take("groups", []), columns)
    functions = tuple(aggregation(each, columns) for each in part.take("expressions", []))
    sets = tuple(map(tuple, part.take("grouping_sets", []))) or (tuple(range(len(groups))),)
    grouping = tuple(map(tuple, part.take("grouping_functions", [])))
    made = [_nullable(column_of(each, columns), len(sets) > 1) for each in groups]
    varies = [groups_vary([each.type for each in made])]
    varies += [aggregation_varies(each, columns) for each in functions]
    made += [column_of(each.call, columns) for each in functions]
    made += [Column("BIGINT", False) for _ in grouping]
    if not groups and is_count_of_rows(functions):
        inputs = (existence(inputs[0]),)
    return AggregatedRows(inputs, tuple(made), max(varies), groups, sets, functions, grouping)


def _nullable(column: Column, also: bool) -> Column:
    return Column(column.type, column.nullable or also)


def _distinct(_: Translation, part: NodeReader, inputs: tuple[Operator, ...]) -> Operator:
    """Return DISTINCT as a grouping by all columns."""
    columns = inputs[0].columns
    part.expect(distinct_type="DISTINCT")
    targets = expressions(part.take("distinct_targets"), columns)
    whole = tuple(ColumnReference(at) for at in range(len(columns)))
    if targets != whole:
        raise NotTranslated("DISTINCT of some columns")
    varies = groups_vary([each.type for each in columns])
    return AggregatedRows(inputs, columns, varies, whole, (tuple(range(len(whole))),), (), ())


def _window(_: Translation, part: NodeReader, inputs: tuple[Operator, ...]) -> Operator:
    (below,) = inputs
    part.skip("window_index")
    functions = tuple(window_call(each, below.columns) for each in part.take("expressions"))
    own = tuple(column_of(each.call, below.columns) for each in functions)
    varies = max(window_varies(each, below) for each in functions)
    return Window(inputs, (*below.columns, *own), varies, functions)


def _sort(_: Translation, part: NodeReader, inputs: tuple[Operator, ...]) -> Operator:
    columns = inputs[0].columns
    return Sort(inputs, columns, "", sort_keys(part.take("orders"), columns))


def _limit(_: Translation, part: NodeReader, inputs: tuple[Operator, ...]) -> Operator:
    (below,) = inputs
    count, offset = _rows(part.take("limit_val")), _rows(part.take("offset_val"))
    return Limit(inputs, below.columns, limit_varies(below, count), count, offset or 0)


def _rows(node: Node) -> int | None:
    with NodeReader(node) as part:
        part.expect(type=part.kind, constant_percentage=-1.0)
        if part.kind == "UNSET":
            return None
        if part.kind != "CONSTANT_VALUE":
            raise NotTranslated(f"a LIMIT that is {part.kind}")
        return int(part.take("constant_integer", 0))


def _join(_: Translation, part: NodeReader, inputs: tuple[Operator, ...]) -> Operator:
    left, right = inputs
    both = (*left.columns, *right.columns)
    kind = part.take("join_type", "INNER")
    part.skip("mark_index")
    correlated = tuple(map(type_text, part.take("mark_types", [])))
    found = [_condition(each, left, both) for each in part.take("conditions", [])]
    if (condition := part.take("condition")) is not None:
        found.append(expression(condition, both))
    kept = [part.take(f"{side}_projection_map", []) for side in ("left", "right")]
    return _kept(Join(inputs, _joined(kind, left, right), "", kind, tuple(found), correlated), kept)


def _kept(join: Join, maps: Sequence[Sequence[int]]) -> Operator:
    """Return a join with selected columns of its inputs; an empty map selects all of a side."""
    if not any(maps):
        return join
    widths = [len(each.columns) for each in join.inputs]
    if len(join.columns) != sum(widths):
        raise NotTranslated(f"a {join.kind} join with a choice of columns")
    left, right = (each or range(width) for each, width in zip(maps, widths, strict=True))
    places = [*left, *(widths[0] + at for at in right)]
    chosen = tuple(join.columns[at] for at in places)
    return Project((join,), chosen, "", tuple(map(ColumnReference, places)))


def _condition(node: Node, left: Operator, both: Sequence[Column]) -> Expression:
    """Return a join condition over both inputs' columns: a comparison, or a single expression."""
    with NodeReader(node) as part:
        kind = part.take("comparison")
        one = expression(part.take("left"), both)
        if kind == "INVALID":
            return one
        if kind not in COMPARISONS:
            raise NotTranslated(f"a join by {kind}")
        other = _moved(part.take("right"), len(left.columns))
        return Call(kind, "BOOLEAN", (one, expression(other, both)))


def _moved(node: Any, by: int) -> Any:
    """Return an expression whose references are shifted from the right input to both inputs."""
    if isinstance(node, list):
        return [_moved(each, by) for each in node]
    if not isinstance(node, dict):
        return node
    found = {key: _moved(each, by) for key, each in node.items()}
    if node.get("expression_class") == "BOUND_REF":
        found["index"] = node.get("index", 0) + by
    return found


def _joined(kind: str, left: Operator, right: Operator) -> tuple[Column, ...]:
    if kind in ("SEMI", "ANTI"):
        return left.columns
    if kind == "MARK":
        return (*left.columns, Column("BOOLEAN", True))
    if kind not in BOTH:
        raise NotTranslated(f"a {kind} join")
    one = [_outer(each, kind in ("RIGHT", "FULL")) for each in left.columns]
    return (*one, *(_outer(each, kind in ("LEFT", "FULL", "SINGLE")) for each in right.columns))


def _outer(column: Column, also: bool) -> Column:
    return column if column == ROW_ID else _nullable(column, also)


def _set_operation(_: Translation, part: NodeReader, inputs: tuple[Operator, ...]) -> Operator:
    part.skip("column_count")
    repeats, kind = bool(part.take("setop_all", True)), part.kind
    part.expect(allow_out_of_order=True)
    types, *others = ([each.type for each in side.columns] for side in inputs)
    several = len(inputs) > 2 and kind != "LOGICAL_UNION"
    if any(each != types for each in others) or ROW_ID.type in types or several:
        raise NotTranslated(f"{kind} of different columns")
    if kind == "LOGICAL_UNION" and not repeats:
        raise NotTranslated("a distinct union without groups")
    alike = zip(*(side.columns for side in inputs), strict=True)
    columns = tuple(Column(each[0].type, any(c.nullable for c in each)) for each in alike)
    if kind == "LOGICAL_UNION":
        return Union(inputs, columns, "")
    made = Except if kind == "LOGICAL_EXCEPT" else Intersect
    return made(inputs, columns, groups_vary(types), repeats)


def _unnest(_: Translation, part: NodeReader, inputs: tuple[Operator, ...]) -> Operator:
    (below,) = inputs
    part.skip("unnest_index")
    made = [_unnested(each, below.columns) for each in part.take("expressions")]
    own = tuple(column for _, column in made)
    return Generate(inputs, (*below.columns, *own), "", tuple(each for each, _ in made))


def _unnested(node: Node, columns: Sequence[Column]) -> tuple[Expression, Column]:
    with NodeReader(node) as part:
        part.expect(expression_class="BOUND_UNNEST", type="BOUND_UNNEST")
        return expression(part.take("child"), columns), Column(
            type_text(part.take("return_type")), True
        )


Translator = Callable[[Translation, NodeReader, tuple[Operator, ...]], Operator]
TRANSLATED: Mapping[str, Translator] = {
    "LOGICAL_GET": Translation.scan,
    "LOGICAL_CTE_REF": Translation.with_reference,
    "LOGICAL_EXPRESSION_GET": _values,
    "LOGICAL_DUMMY_SCAN": _one_row,
    "LOGICAL_EMPTY_RESULT": _no_rows,
    "LOGICAL_FILTER": _filter,
    "LOGICAL_PROJECTION": _project,
    "LOGICAL_AGGREGATE_AND_GROUP_BY": _aggregate,
    "LOGICAL_DISTINCT": _distinct,
    "LOGICAL_WINDOW": _window,
    "LOGICAL_ORDER_BY": _sort,
    "LOGICAL_LIMIT": _limit,
    "LOGICAL_COMPARISON_JOIN": _join,
    "LOGICAL_ANY_JOIN": _join,
    "LOGICAL_CROSS_PRODUCT": _join,
    "LOGICAL_UNION": _set_operation,
    "LOGICAL_EXCEPT": _set_operation,
    "LOGICAL_INTERSECT": _set_operation,
    "LOGICAL_UNNEST": _unnest,
}
