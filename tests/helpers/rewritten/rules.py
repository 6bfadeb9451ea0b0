"""All rules, and their application to a query.

Each rule changes one or all matching positions, and reports whether it found any. A rule is correct
for all table contents that satisfy the schema's constraints.
"""

from collections.abc import Callable
from random import Random

from sqlglot import exp

from . import groups, joins, predicates, subqueries, tables
from .prepared import make_names_unique, prepared
from .schema import Schema

Rule = Callable[[exp.Query, Random, Schema], bool]
STRUCTURE: tuple[Rule, ...] = (
    joins.order_of_joins, joins.where_as_on, joins.on_as_using, joins.inner_as_left,
    joins.left_as_inner, subqueries.exists_as_in, subqueries.in_as_exists, subqueries.in_as_join,
    subqueries.scalar_as_join, tables.with_unfolded, tables.derived_as_with,
    tables.filter_below_join, tables.columns_below_join, tables.rows_before_groups,
    tables.union_swapped, groups.distinct_as_group, groups.group_as_distinct,
    groups.filter_above_group, groups.filter_below_group, groups.sums_of_sums,
)  # fmt: skip
"""Rules that change a query's structure: what it reads, joins or groups, and in which clause."""
SPELLING: tuple[Rule, ...] = (
    predicates.order_of_conditions, predicates.sides_of_comparisons,
    predicates.between_as_comparisons, predicates.list_as_or, predicates.comparison_as_not,
    predicates.predicate_repeated, predicates.coalesce_as_case, predicates.case_of_value,
    predicates.commuted, groups.count_as_sum, groups.count_of_column, groups.case_as_filter,
)  # fmt: skip
"""Rules that change conditions and expressions."""


def rewritten(text: str, schema: Schema, source: Random, least: int) -> tuple[str, list[str]]:
    """Return an equal query, and the names of the applied rules: at least ``least`` rules."""
    tree, used = prepared(text, schema), list[str]()
    for rules, most in ((STRUCTURE, 3), (SPELLING, max(2, least))):
        before = len(used)
        for rule in source.sample(rules, len(rules)):
            if len(used) - before < most and rule(tree, source, schema):
                used.append(rule.__name__)
                make_names_unique(tree)
    assert len(used) >= least, (text, used)
    return tree.sql("duckdb", pretty=True), used
