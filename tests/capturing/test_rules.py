"""For each covered operator, the lineage of each row is exactly the rows that it was made of.

The expected rows come from a program over Python tuples, which each case contains.
"""

from collections import defaultdict
from collections.abc import Callable
from math import isnan

import pytest
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from helpers.lineage_cases import Block, Case, Lineage, Shop, c, grouped, o
from helpers.shop import CUSTOMERS, ORDERS, Customer, Order


def number(value: float) -> str:
    """Return a number as a string. As in Spark's groups, NaN equals NaN, and -0.0 equals 0.0."""
    return str(value + 0.0)


def by(*columns: str) -> Callable[[Shop], DataFrame]:
    """Return a program that groups the orders by SQL expressions; the key is the smallest id."""
    return lambda shop: shop.orders.groupBy(*map(F.expr, columns)).agg(
        F.min("id").alias("k"), F.sum("price")
    )


def joined(shop: Shop) -> DataFrame:
    return shop.orders.join(shop.customers, F.col("cust") == F.col("name"))


MATCHES = [(order, customer) for order in ORDERS for customer in CUSTOMERS
           if order.cust is not None and order.cust == customer.name]  # fmt: skip


def by_nation() -> Lineage:
    found: defaultdict[int | None, set[str]] = defaultdict(set)
    for order, customer in MATCHES:
        found[customer.nation] |= o(order) | c(customer)
    return {str(nation): sources for nation, sources in found.items()}


def pairs(shop: Shop) -> DataFrame:
    left, right = shop.orders.alias("l"), shop.orders.alias("r")
    both = left.join(right, (F.col("l.cust") == F.col("r.cust")) & (F.col("l.id") < F.col("r.id")))
    return both.select(F.concat_ws("-", "l.id", "r.id").alias("k"))


def with_total(shop: Shop) -> DataFrame:
    totals = shop.orders.groupBy("cust").agg(F.sum("price").alias("total"))
    return shop.orders.join(totals, "cust").select(F.col("id").alias("k"), "total")


def of_groups(shop: Shop) -> DataFrame:
    """Count orders by customer, then count customers by their number of orders."""
    counts = shop.orders.groupBy("cust").agg(F.count("*").alias("n"))
    return counts.groupBy("n").agg(F.count("*")).withColumnRenamed("n", "k")


def of_groups_expected() -> Lineage:
    names = {order.cust for order in ORDERS}
    custs = {name: [order for order in ORDERS if order.cust == name] for name in names}
    found: defaultdict[str, set[str]] = defaultdict(set)
    for orders in custs.values():
        found[str(len(orders))] |= o(*orders)
    return found


def pair(order: Order | None, customer: Customer | None) -> str:
    """Return the key of a row of an outer join. Either side may be missing."""
    left = f"o{order.id}" if order else ""
    return "-".join(filter(None, (left, f"c{customer.number}" if customer else "")))


def outer(kind: str) -> Callable[[Shop], DataFrame]:
    def frame(shop: Shop) -> DataFrame:
        both = shop.orders.join(shop.customers, F.col("cust") == F.col("name"), kind)
        return both.selectExpr("concat_ws('-', 'o' || id, 'c' || number) AS k", "price", "nation")

    return frame


def outer_expected(left: bool, right: bool) -> Lineage:
    found = {pair(*match): o(match[0]) | c(match[1]) for match in MATCHES}
    orders, customers = ({each[side] for each in MATCHES} for side in (0, 1))
    if left:
        found |= {pair(order, None): o(order) for order in ORDERS if order not in orders}
    if right:
        found |= {pair(None, each): c(each) for each in CUSTOMERS if each not in customers}
    return found


def union(shop: Shop) -> DataFrame:
    """Unite three kinds of rows: with one id, two ids, and no ids of source rows."""
    kept = shop.orders.selectExpr("'row' || id AS k")
    pairs = joined(shop).selectExpr("concat_ws('-', id, number) AS k")
    groups = shop.orders.groupBy("cust").agg(F.expr("'group' || min(id)").alias("k")).select("k")
    return kept.union(pairs).union(groups)


def union_expected() -> Lineage:
    groups = grouped(lambda order: order.cust)
    return (
        {f"row{order.id}": o(order) for order in ORDERS}
        | {f"{order.id}-{each.number}": o(order) | c(each) for order, each in MATCHES}
        | {f"group{key}": found for key, found in groups.items()}
    )


def rollup(shop: Shop) -> DataFrame:
    found = shop.orders.rollup("cust").agg(F.grouping_id().alias("g"), F.sum("price"))
    return found.selectExpr("concat_ws('-', cust, g) AS k", "*")


def rollup_expected() -> Lineage:
    names = {order.cust for order in ORDERS}
    found = {
        f"{name}-0" if name else "0": o(*(order for order in ORDERS if order.cust == name))
        for name in names
    }
    return found | {"1": o(*ORDERS)}


def rivals(shop: Shop) -> DataFrame:
    """Join an aggregate with itself. Spark computes the aggregate once."""
    counts = shop.orders.groupBy("cust").agg(F.count("*").alias("n"))
    left, right = counts.alias("l"), counts.alias("r")
    both = left.join(right, F.expr("l.n = r.n AND l.cust <> r.cust"))
    return both.selectExpr("concat_ws('-', l.cust, r.cust) AS k")


def semi_expected() -> Lineage:
    return {
        str(order.id): o(order) | c(*(each for each in CUSTOMERS if each.number == order.small))
        for order in ORDERS
        if order.small in {each.number for each in CUSTOMERS}
    }


CASES = {
    "left_outer": Case(outer("left"), lambda: outer_expected(left=True, right=False)),
    "right_outer": Case(outer("right"), lambda: outer_expected(left=False, right=True)),
    "full_outer": Case(outer("full"), lambda: outer_expected(left=True, right=True)),
    "semi": Case(
        lambda shop: shop.orders.join(shop.customers, F.col("small") == F.col("number"), "semi")
        .select(F.col("id").alias("k")),
        semi_expected,
    ),
    "semi_with_condition": Case(
        lambda shop: shop.orders.join(
            shop.customers, F.expr("small = number AND cust <> name || 'x'"), "semi"
        ).select(F.col("id").alias("k")),
        lambda: {key: found for key, found in semi_expected().items() if key not in ("4", "7")},
    ),
    "anti": Case(
        lambda shop: shop.orders.join(shop.customers, F.col("cust") == F.col("name"), "anti")
        .select(F.col("id").alias("k")),
        lambda: {str(order.id): o(order) for order in ORDERS if order.cust is None},
    ),
    "union": Case(union, union_expected),
    "rollup": Case(rollup, rollup_expected),
    "distincts": Case(
        lambda shop: shop.orders.groupBy("small")
        .agg(F.min("id").alias("k"), F.countDistinct("cust"), F.countDistinct("fee")),
        lambda: grouped(lambda order: order.small),
    ),
    "exploded": Case(
        lambda shop: joined(shop).withColumn("n", F.explode(F.array("number", F.lit(0))))
        .selectExpr("concat_ws('-', id, number, n) AS k"),
        lambda: {f"{order.id}-{each.number}-{n}": o(order) | c(each)
                 for order, each in MATCHES for n in (each.number, 0)},
    ),
    "moved": Case(
        lambda shop: shop.orders.sample(0.9999999, seed=1).repartition(3).orderBy("id").offset(2)
        .coalesce(1).select(F.col("id").alias("k")),
        lambda: {str(order.id): o(order) for order in ORDERS[2:]},
    ),
    "nowhere": Case(lambda shop: shop.orders.where("1 = 0").select(F.col("id").alias("k")), dict),
    "rivals": Case(
        rivals,
        lambda: {"ann-bob": o(*(each for each in ORDERS if each.cust in ("ann", "bob"))),
                 "bob-ann": o(*(each for each in ORDERS if each.cust in ("ann", "bob")))},
    ),
    "kept": Case(
        lambda shop: shop.orders.where("price > 1").select(F.col("id").alias("k"), F.lit("x")),
        lambda: {str(order.id): o(order) for order in ORDERS
                 if order.price > 1 or isnan(order.price)},
    ),
    "joined": Case(
        lambda shop: joined(shop).select(F.concat_ws("-", "id", "number").alias("k")),
        lambda: {f"{order.id}-{each.number}": o(order) | c(each) for order, each in MATCHES},
    ),
    "crossed": Case(
        lambda shop: shop.orders.where("id < 3")
        .crossJoin(shop.customers)
        .select(F.concat_ws("-", "id", "number").alias("k")),
        lambda: {f"{order.id}-{each.number}": o(order) | c(each)
                 for order in ORDERS[:2] for each in CUSTOMERS},
    ),
    "pairs": Case(
        pairs,
        lambda: {f"{one.id}-{two.id}": o(one, two) for one in ORDERS for two in ORDERS
                 if one.cust is not None and one.cust == two.cust and one.id < two.id},
    ),
    "by_text": Case(by("cust"), lambda: grouped(lambda order: order.cust)),
    "by_float": Case(by("price"), lambda: grouped(lambda order: number(order.price))),
    "by_date": Case(by("day"), lambda: grouped(lambda order: order.day)),
    "by_decimal": Case(by("fee"), lambda: grouped(lambda order: order.fee)),
    "by_int": Case(by("small"), lambda: grouped(lambda order: order.small)),
    "by_long": Case(by("large"), lambda: grouped(lambda order: order.large)),
    "by_two": Case(by("small", "large"), lambda: grouped(lambda order: (order.small, order.large))),
    "by_truth": Case(
        by("small > 1"),
        lambda: grouped(lambda order: None if order.small is None else order.small > 1),
    ),
    "by_nation": Case(
        lambda shop: joined(shop).groupBy("nation").agg(F.sum("price"))
        .select(F.coalesce(F.col("nation").cast("string"), F.lit("None")).alias("k")),
        by_nation,
    ),
    "distinct": Case(
        lambda shop: shop.orders.where("cust is not null").select(F.col("cust").alias("k"))
        .distinct(),
        lambda: {name: o(*(order for order in ORDERS if order.cust == name))
                 for name in ("ann", "bob", "eve")},
    ),
    "of_groups": Case(of_groups, of_groups_expected),
    "with_total": Case(
        with_total,
        lambda: {str(order.id): o(*(each for each in ORDERS if each.cust == order.cust))
                 for order in ORDERS if order.cust is not None},
    ),
    "total": Case(
        lambda shop: shop.orders.agg(F.lit("all").alias("k"), F.sum("price")),
        lambda: {"all": o(*ORDERS)},
    ),
    "top": Case(
        lambda shop: shop.orders.orderBy(F.desc("id")).limit(3).select(F.col("id").alias("k")),
        lambda: {str(order.id): o(order) for order in ORDERS[-3:]},
    ),
    "after_limit": Case(
        lambda shop: shop.orders.orderBy("id").limit(4)
        .agg(F.lit("all").alias("k"), F.sum("price")),
        lambda: {"all": o(*ORDERS[:4])},
    ),
    "having": Case(
        lambda shop: shop.orders.groupBy("cust")
        .agg(F.min("id").alias("k"), F.count("*").alias("n")).where("n > 2"),
        lambda: {key: found for key, found in grouped(lambda order: order.cust).items()
                 if len(found) > 2},
    ),
    "nothing": Case(
        lambda shop: shop.orders.where("price < -1").select(F.col("id").alias("k")), dict
    ),
    "sum_of_nothing": Case(
        lambda shop: shop.orders.where("price < -1").agg(F.lit("all").alias("k"), F.sum("price")),
        lambda: {"all": set()},
    ),
}  # fmt: skip


DAILY = ("full_outer", "semi", "rollup")
"""The cases that ``test_daily.py`` includes. Together, they use nearly all rules."""


@pytest.mark.long
def test_all_rules_on_all_types(block: Block) -> None:
    block(CASES).check_all()
