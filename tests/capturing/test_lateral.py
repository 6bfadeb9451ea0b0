"""In correlated subqueries without an equality, a row derives from only one outer row, its own."""

import pytest
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.window import Window

from helpers.lineage_cases import Block, Case, Shop, c, each, o, sql
from helpers.shop import CUSTOMERS, ORDERS, Customer, Order

SMALL = [order for order in ORDERS if order.small is not None]
"""The orders whose field ``small`` is set. Some of these orders have the same value in it."""


def above(order: Order) -> list[Customer]:
    """Return the customers whose ``number`` is greater than ``small`` of the given order."""
    return [one for one in CUSTOMERS if order.small is not None and one.number > order.small]


def named(order: Order) -> list[Customer]:
    """Return the customers that have the name in the given order."""
    return [one for one in CUSTOMERS if one.name == order.cust]


def distinct_beside(shop: Shop) -> DataFrame:
    """Join orders with the distinct values of their own column, computed by the program itself."""
    values = shop.orders.select("small").distinct()
    counted = values.withColumn("n", F.count("*").over(Window.partitionBy()))
    both = shop.orders.join(counted.withColumnRenamed("small", "s"), F.expr("small <=> s"))
    return both.select(F.col("id").alias("k"), "n")


CASES = {
    "first_above": Case(
        sql("SELECT id AS k, number FROM orders, LATERAL"
            " (SELECT number FROM customers WHERE number > small ORDER BY number LIMIT 1)"),
        lambda: each(lambda order: o(order) | c(above(order)[0]), SMALL),
    ),
    "first_above_or_none": Case(
        sql("SELECT id AS k, number FROM (SELECT id, small + 1 AS s FROM orders WHERE id < 9)"
            " LEFT JOIN LATERAL"
            " (SELECT number FROM customers WHERE number >= s AND number > 5 LIMIT 1)"),
        lambda: each(lambda order: o(order) | c(*above(order)[-1:]), ORDERS[:8]),
    ),
    "renamed": Case(
        sql("SELECT id AS k, number FROM (SELECT id, small AS s FROM orders), LATERAL"
            " (SELECT number FROM customers WHERE number > s ORDER BY number LIMIT 1)"),
        lambda: each(lambda order: o(order) | c(above(order)[0]), SMALL),
    ),
    "count_above": Case(
        sql("SELECT id AS k, n FROM orders, LATERAL"
            " (SELECT count(*) AS n FROM customers WHERE number > small)"),
        lambda: each(lambda order: o(order) | c(*above(order))),
    ),
    "scalar_above": Case(
        sql("SELECT id AS k, (SELECT max(nation) FROM customers WHERE number > small) FROM orders"),
        lambda: each(lambda order: o(order) | c(*above(order))),
    ),
    "values_above": Case(
        sql("SELECT id || '-' || v AS k FROM orders, LATERAL"
            " (SELECT DISTINCT nation + small AS v FROM customers WHERE nation + small > 0)"),
        lambda: {
            f"{order.id}-{nation + (order.small or 0)}": o(order)
            | c(*(one for one in CUSTOMERS if one.nation == nation))
            for order in SMALL
            for nation in (1, 2)
        },
    ),
    "exists_above": Case(  # one matching row is enough
        sql("SELECT id AS k FROM orders WHERE EXISTS (SELECT 1 FROM customers"
            " WHERE number > small AND name = cust LIMIT 1)"),
        lambda: each(
            lambda order: o(order) | c(next(one for one in named(order) if one in above(order))),
            [order for order in SMALL if order.cust in ("bob", "eve")],
        ),
    ),
    "one_after_the_other": Case(
        sql("SELECT id AS k, a.number, b.n FROM orders, LATERAL"
            " (SELECT number FROM customers WHERE number > small ORDER BY number LIMIT 1) a,"
            " LATERAL (SELECT count(*) AS n FROM customers WHERE number > a.number) b"),
        lambda: each(lambda order: o(order) | c(*above(order)), SMALL),
    ),
    "united": Case(
        sql("SELECT id || '-' || v AS k FROM orders, LATERAL"
            " (SELECT 'c' || number AS v FROM customers WHERE number > small AND number = 6"
            " UNION ALL SELECT 'o' || id FROM orders i WHERE i.id = orders.small)"),
        lambda: {f"{order.id}-c6": o(order) | c(CUSTOMERS[5]) for order in SMALL}
        | {f"{order.id}-o{order.small}": o(order, ORDERS[order.small - 1])
           for order in SMALL if order.small},
    ),
    "first_above_one": Case(
        sql("SELECT id AS k, number FROM orders, LATERAL"
            " (SELECT number FROM customers WHERE number > small ORDER BY number LIMIT 1)"
            " WHERE small = 1"),
        lambda: each(
            lambda order: o(order) | c(above(order)[0]),
            [order for order in SMALL if order.small == 1],
        ),
    ),
    # the program computed the distinct values itself, so rows still derive from all of them
    "distinct_beside": Case(
        distinct_beside, lambda: each(lambda _: o(*ORDERS))
    ),
}  # fmt: skip
DAILY = ("first_above",)
"""The case that ``test_daily.py`` includes."""


@pytest.mark.long
def test_all_correlated_subqueries(block: Block) -> None:
    block(CASES).check_all()
