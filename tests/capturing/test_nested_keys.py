"""Groups by time windows, structs, arrays and maps: each row derives from exactly its group."""

from collections import defaultdict
from collections.abc import Callable

import pytest
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.window import Window

from helpers.lineage_cases import Block, Case, Lineage, Shop, c, grouped, o
from helpers.shop import CUSTOMERS, ORDERS, Order

TIMED = [order for order in ORDERS if order.id != 4]
"""The orders with a time. One order does not have a time."""


def timed(shop: Shop) -> DataFrame:
    """Return the orders, with times ten seconds apart. One order has no time."""
    return shop.orders.withColumn("at", F.expr("if(id = 4, NULL, timestamp_seconds(id * 10))"))


def by(*columns: str) -> Callable[[Shop], DataFrame]:
    """Return a program that groups timed orders by SQL expressions; the key is the smallest id."""
    return lambda shop: (
        timed(shop).groupBy(*map(F.expr, columns)).agg(F.min("id").alias("k"), F.sum("price"))
    )


def sliding() -> Lineage:
    found: Lineage = defaultdict(set)
    for order in TIMED:
        for start in range(-40, 100, 20):
            if start <= order.id * 10 < start + 30:
                found[str(start)] |= o(order)
    return found


def sessions(gap: Callable[[Order], int], key: Callable[[Order], object]) -> Lineage:
    """Return the lineage of session windows, by the smallest id in each session.

    A session ends ``gap(order)`` seconds after its last order. Sessions that touch are merged.
    """
    found: dict[object, list[tuple[int, list[Order]]]] = defaultdict(list)
    for order in TIMED:
        of_key, at = found[key(order)], order.id * 10
        if of_key and at <= of_key[-1][0]:
            end, orders = of_key.pop()
            of_key.append((max(end, at + gap(order)), [*orders, order]))
        else:
            of_key.append((at + gap(order), [order]))
    return {str(orders[0].id): o(*orders) for of_key in found.values() for _, orders in of_key}


def number(value: float) -> str:
    """Return a number as a string. As in Spark's groups, NaN equals NaN, and -0.0 equals 0.0."""
    return str(value + 0.0)


CASES = {
    "tumbling": Case(
        by("window(at, '30 seconds')"), lambda: grouped(lambda order: order.id // 3, TIMED)
    ),
    "tumbling_by_cust": Case(
        by("window(at, '30 seconds')", "cust"),
        lambda: grouped(lambda order: (order.id // 3, order.cust), TIMED),
    ),
    "sliding": Case(
        lambda shop: timed(shop)
        .groupBy(F.window("at", "30 seconds", "20 seconds").alias("w"))
        .agg(F.count("*").alias("n"))
        .selectExpr("unix_timestamp(w.start) AS k", "n"),
        sliding,
    ),
    "of_windows": Case(
        lambda shop: timed(shop)
        .groupBy(F.window("at", "30 seconds"), "cust")
        .agg(F.min("id").alias("id"))
        .groupBy(F.window(F.window_time("window"), "60 seconds"))
        .agg(F.min("id").alias("k")),
        lambda: grouped(lambda order: order.id // 6, TIMED),
    ),
    "sessions": Case(
        by("session_window(at, '20 seconds')", "cust"),
        lambda: sessions(lambda _: 20, lambda order: order.cust),
    ),
    "sessions_by_float": Case(
        by("price", "session_window(at, '10 seconds')"),
        lambda: sessions(lambda _: 10, lambda order: number(order.price)),
    ),
    "sessions_of_all": Case(
        by("session_window(at, '10 seconds')"), lambda: sessions(lambda _: 10, lambda _: 0)
    ),
    "sessions_of_several_gaps": Case(
        by("session_window(at, if(cust = 'bob', '20 seconds', '5 seconds'))"),
        lambda: sessions(lambda order: 20 if order.cust == "bob" else 5, lambda _: 0),
    ),
    "distinct_in_sessions": Case(
        lambda shop: timed(shop)
        .groupBy(F.session_window("at", "20 seconds"), "small")
        .agg(F.min("id").alias("k"), F.countDistinct("cust")),
        lambda: sessions(lambda _: 20, lambda order: order.small),
    ),
    "exploded_sessions": Case(  # the lists of sessions are not taken apart
        lambda shop: timed(shop)
        .groupBy(F.session_window("at", "20 seconds"), "cust")
        .agg(F.collect_list("id").alias("ids"))
        .select(F.explode("ids").alias("k")),
        lambda: {
            each.partition("/")[2]: found
            for found in sessions(lambda _: 20, lambda order: order.cust).values()
            for each in found
        },
    ),
    "no_sessions": Case(
        lambda shop: timed(shop).where("price < -1")
        .groupBy(F.session_window("at", "20 seconds")).agg(F.min("id").alias("k")),
        dict,
    ),
    "structs": Case(
        by("struct(cust, struct(small, price))"),
        lambda: grouped(lambda order: (order.cust, order.small, number(order.price))),
    ),
    "distinct_structs": Case(
        lambda shop: shop.orders.selectExpr("struct(cust, price) AS s").distinct()
        .selectExpr("lower(concat_ws('-', s.cust, s.price + 0.0D)) AS k"),
        lambda: {
            "-".join(filter(None, (order.cust, number(order.price)))): o(
                *(one for one in ORDERS
                  if (one.cust, number(one.price)) == (order.cust, number(order.price)))
            )
            for order in ORDERS
        },
    ),
    "struct_or_null": Case(
        by("if(small IS NULL, NULL, named_struct('a', nullif(small, 5)))"),
        lambda: grouped(lambda order: order.small),
    ),
    "arrays": Case(  # Spark's own hash would skip NULL
        by("if(id < 5, array(cust, NULL), array(NULL, cust))"),
        lambda: grouped(lambda order: (order.id < 5 and order.cust is not None, order.cust)),
    ),
    "maps": Case(
        by("if(id % 2 = 0, map('a', price, 'b', 1.0D), map('b', 1.0D, 'a', price))"),
        lambda: grouped(lambda order: number(order.price)),
    ),
    "intervals": Case(
        by("make_dt_interval(0, 0, small)"), lambda: grouped(lambda order: order.small)
    ),
    "texts_without_case": Case(
        by("if(id < 5, cust, upper(cust)) COLLATE UTF8_LCASE"),
        lambda: grouped(lambda order: order.cust),
    ),
    "partition_by_struct": Case(
        lambda shop: shop.orders.select(
            F.col("id").alias("k"), F.count("*").over(Window.partitionBy(F.struct("cust", "small")))
        ),
        lambda: {
            str(order.id): o(
                *(one for one in ORDERS if (one.cust, one.small) == (order.cust, order.small))
            )
            for order in ORDERS
        },
    ),
    "part_of_array": Case(
        lambda shop: shop.orders.select(
            F.col("id").alias("k"),
            F.row_number().over(Window.partitionBy(F.array("cust")).orderBy("id")),
        ),
        lambda: {
            str(order.id): o(
                *(one for one in ORDERS if one.cust == order.cust and one.id <= order.id)
            )
            for order in ORDERS
        },
    ),
    "semi_on_arrays": Case(  # in an array, NULL equals NULL
        lambda shop: shop.orders.join(
            shop.customers, F.array("cust") == F.array("name"), "semi"
        ).select(F.col("id").alias("k")),
        lambda: {
            str(order.id): o(order) | c(*(one for one in CUSTOMERS if one.name == order.cust))
            for order in ORDERS
        },
    ),
}  # fmt: skip
DAILY = ("sessions",)
"""The case that ``test_daily.py`` includes."""


@pytest.mark.long
def test_all_groups_by_nested_values(block: Block) -> None:
    block(CASES).check_all()
