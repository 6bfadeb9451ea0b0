"""A row that ``explode`` makes of a collected array derives from its element, not its group.

The expected rows are written out by hand for each case. A row derives from the whole group if more
of the group than this element is in the row or influences the row.
"""

from collections.abc import Callable, Hashable, Iterable

import pytest
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from helpers.lineage_cases import Block, Case, Lineage, Shop, c, o
from helpers.shop import CUSTOMERS, ORDERS, Order


def sql(text: str) -> Callable[[Shop], DataFrame]:
    """Return a program in SQL over the views ``orders`` and ``customers``."""

    def frame(shop: Shop) -> DataFrame:
        shop.orders.createOrReplaceTempView("orders")
        shop.customers.createOrReplaceTempView("customers")
        return shop.orders.sparkSession.sql(text)

    return frame


def collected(
    what: str, taken: str, rest: str = "", having: str = ""
) -> Callable[[Shop], DataFrame]:
    """Return a program that collects ``what`` from each customer's orders, and explodes it."""
    return sql(
        f"SELECT {taken} AS k FROM (SELECT cust, {what} AS items {rest} FROM orders GROUP BY cust"
        f" {having}) LATERAL VIEW explode(items) AS e"
    )


def of_custs(*orders: Order) -> Lineage:
    """Return the lineage in which each given order derives from all orders of its customer."""
    return {
        str(each.id): o(*(order for order in ORDERS if order.cust == each.cust)) for each in orders
    }


def themselves(orders: Iterable[Order] = ORDERS) -> Lineage:
    return {str(order.id): o(order) for order in orders}


def values(
    key: Callable[[Order], str], of: Callable[[Order], Hashable], orders: Iterable[Order] = ORDERS
) -> Lineage:
    """Return the lineage of the values that ``of`` returns.

    A value derives from all orders of its group that have this value; ``key`` names the pair of
    group and value.
    """
    found: Lineage = {}
    for order in orders:
        if of(order) is not None:
            found.setdefault(key(order), set()).update(o(order))
    return found


def by_cust(of: Callable[[Order], Hashable]) -> Lineage:
    return values(lambda order: f"{order.cust}-{of(order)}", of)


def or_nothing(of: Callable[[Order], Hashable], name: Callable[[Order], str]) -> Lineage:
    """Return the lineage of the values of each customer.

    A customer whose orders have no value has one row, which derives from all orders of the
    customer.
    """
    found = values(name, of)
    for name_ in {order.cust for order in ORDERS}:
        group = [order for order in ORDERS if order.cust == name_]
        if all(of(order) is None for order in group):
            found[f"{name_}-None"] = o(*group)
    return found


OUTER = (
    "SELECT concat_ws('-', coalesce(cust, 'None'), coalesce(cast({e} AS STRING), 'None')) AS k FROM"
    " (SELECT cust, {what} AS items FROM orders GROUP BY cust) LATERAL VIEW OUTER {how} AS e"
)

CASES = {
    "listed": Case(collected("collect_list(id)", "e"), themselves),
    "listed_without_null": Case(
        collected("collect_list(if(fee IS NULL, NULL, struct(id, fee)))", "e.id"),
        lambda: themselves(order for order in ORDERS if order.fee is not None),
    ),
    "listed_fees": Case(  # equal values in one group remain separate rows
        lambda shop: shop.orders.where("small = 1 OR id = 9").groupBy("small")
        .agg(F.collect_list("fee").alias("items"))
        .select("small", F.explode("items").alias("fee"))
        .groupBy("small", "fee").agg(F.concat_ws("-", "small", "fee").alias("k")).select("k"),
        lambda: {"1-1.10": o(ORDERS[0], ORDERS[1]), "2-2.00": o(ORDERS[8])},
    ),
    "with_the_group": Case(
        collected("collect_list(id)", "concat_ws('-', cust, e)"),
        lambda: {f"{order.cust}-{order.id}" if order.cust else str(order.id): o(order)
                 for order in ORDERS},
    ),
    "one_field": Case(
        lambda shop: shop.orders.groupBy("small").agg(F.collect_list(F.struct("price", "id"))
        .alias("items"), F.sum("price")).select(F.explode("items").alias("e"))
        .select(F.col("e.id").alias("k")),
        themselves,
    ),
    "inlined": Case(
        sql("SELECT k FROM (SELECT collect_list(struct(id AS k, price)) AS items FROM orders"
            " GROUP BY large) LATERAL VIEW inline(items) AS k, p"),
        themselves,
    ),
    "some_listed": Case(
        collected("collect_list(id) FILTER (WHERE small = 1)", "e"),
        lambda: themselves(order for order in ORDERS if order.small == 1),
    ),
    "of_all": Case(
        sql("SELECT explode(collect_list(id)) AS k FROM orders"), themselves
    ),
    "of_nothing": Case(
        sql("SELECT explode(collect_list(id)) AS k FROM orders WHERE id < 0"), dict
    ),
    "outer_of_nothing": Case(
        sql("SELECT coalesce(e, 'nothing') AS k FROM (SELECT collect_list(cust) AS items"
            " FROM orders WHERE id < 0) LATERAL VIEW OUTER explode(items) AS e"),
        lambda: {"nothing": set()},
    ),
    "outer_list": Case(
        sql(OUTER.format(e="e.id", what="collect_list(if(fee IS NULL OR cust = 'ann', null,"
                                        " struct(id, fee)))", how="explode(items)")),
        lambda: {f"{order.cust}-{order.id}": o(order) for order in ORDERS
                 if order.fee is not None and order.cust != "ann"}
        | {"ann-None": o(*(order for order in ORDERS if order.cust == "ann"))},
    ),
    "of_a_join": Case(
        lambda shop: shop.orders.join(shop.customers, F.col("cust") == F.col("name"), "left")
        .groupBy("cust").agg(F.collect_list(F.struct("id", "number")).alias("items"))
        .select(F.explode("items").alias("e"))
        .select(F.concat_ws("-", "e.id", "e.number").alias("k")),
        lambda: {f"{order.id}-{each.number}": o(order) | c(each) for order in ORDERS
                 for each in CUSTOMERS if order.cust is not None and order.cust == each.name}
        | {str(order.id): o(order) for order in ORDERS
           if order.cust not in {each.name for each in CUSTOMERS if each.name}},
    ),
    "of_groups": Case(  # the elements are themselves groups
        sql("SELECT e.first AS k FROM (SELECT n, collect_list(struct(first, n)) AS items FROM"
            " (SELECT cust, min(id) AS first, count(*) AS n FROM orders GROUP BY cust)"
            " GROUP BY n) LATERAL VIEW explode(items) AS e"),
        lambda: of_custs(ORDERS[0], ORDERS[1], ORDERS[3], ORDERS[7]),
    ),
    "a_set": Case(
        collected("collect_set(small)", "concat_ws('-', coalesce(cust, 'None'), e)"),
        lambda: by_cust(lambda order: order.small),
    ),
    "a_set_of_dates": Case(
        collected("collect_set(day)", "concat_ws('-', coalesce(cust, 'None'), e)"),
        lambda: by_cust(lambda order: order.day),
    ),
    "outer_set": Case(
        sql(OUTER.format(e="e", what="collect_set(large)", how="explode(items)")),
        lambda: or_nothing(
            lambda order: order.large, lambda order: f"{order.cust}-{order.large}"
        ),
    ),
    "a_distinct_list": Case(
        lambda shop: shop.orders.groupBy("day", "small").agg(
            F.expr("collect_list(DISTINCT cust)").alias("items"))
        .select("day", "small", F.explode("items").alias("e"))
        .select(F.concat_ws("-", "day", "small", "e").alias("k")),
        lambda: values(
            lambda order: "-".join(str(part) for part in (order.day, order.small, order.cust)
                                   if part is not None),
            lambda order: order.cust,
        ),
    ),
    # Rows that show or need more of their group than one element.
    "with_a_total": Case(
        collected("collect_list(id)", "concat_ws('-', e, n)", ", count(*) AS n"),
        lambda: {f"{order.id}-{len(found)}": found for order in ORDERS
                 for found in [of_custs(order)[str(order.id)]]},
    ),
    "of_large_groups": Case(
        collected("collect_list(id)", "e", having="HAVING count(*) > 2"),
        lambda: of_custs(*(order for order in ORDERS if order.cust in ("ann", "bob"))),
    ),
    "of_long_lists": Case(
        sql("SELECT e AS k FROM (SELECT cust, collect_list(id) AS items FROM orders GROUP BY cust)"
            " LATERAL VIEW explode(items) AS e WHERE size(items) > 2"),
        lambda: of_custs(*(order for order in ORDERS if order.cust in ("ann", "bob"))),
    ),
    "with_the_list": Case(
        collected("collect_list(id)", "concat_ws('-', e, size(items))"),
        lambda: {f"{order.id}-{len(found)}": found for order in ORDERS
                 for found in [of_custs(order)[str(order.id)]]},
    ),
    "with_places": Case(
        sql("SELECT k FROM (SELECT cust, collect_list(id) AS items FROM orders GROUP BY cust)"
            " LATERAL VIEW posexplode(items) AS place, k"),
        lambda: of_custs(*ORDERS),
    ),
    "a_set_of_floats": Case(  # Spark decides whether 0.0 and -0.0 are one element
        sql("SELECT cast(e AS STRING) AS k FROM (SELECT collect_set(price) AS items FROM orders"
            " WHERE price > 5 AND price < 100) LATERAL VIEW explode(items) AS e"),
        lambda: dict.fromkeys(("7.0", "8.0", "9.0"), o(ORDERS[5], ORDERS[6], ORDERS[7])),
    ),
}  # fmt: skip

DAILY = ("of_a_join",)
"""The case that ``test_daily.py`` includes."""


@pytest.mark.long
def test_all_ways_to_collect_and_explode(block: Block) -> None:
    block(CASES).check_all()
