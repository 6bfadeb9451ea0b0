"""Subqueries, windows, set operations and existence tests: each row has exactly its lineage.

For an operator that is documented as a superset, the expected rows are exactly the documented
superset.
"""

from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from pyspark.sql.window import Window

from helpers.lineage_cases import (
    Block,
    Case,
    Lineage,
    c,
    each,
    grouped,
    o,
    sql,
    written,
)
from helpers.shop import CUSTOMERS, ORDERS, Customer, Order, write_shop
from helpers.warehouse import House
from provhouse.capturing.reading import stretches
from provhouse.capturing.reading import tap_trace as trace
from provhouse.model.errors import BadInput


def orders_of(name: str | None) -> list[Order]:
    return [order for order in ORDERS if order.cust == name]


def named(order: Order) -> list[Customer]:
    """Return the customers that have the customer name in the given order."""
    return [each for each in CUSTOMERS if each.name is not None and each.name == order.cust]


def called(name: str) -> list[Customer]:
    return [one for one in CUSTOMERS if one.name == name]


def partition(order: Order) -> set[str]:
    return o(*orders_of(order.cust))


def before(order: Order) -> list[Order]:
    """Return the orders in the window partition of ``order``, up to ``order`` itself."""
    return [one for one in orders_of(order.cust) if one.id <= order.id]


def matched(matches: Callable[[Order, Order], bool]) -> Lineage:
    """Return the orders that match others of their customer, with these."""
    found = {
        order.id: [one for one in orders_of(order.cust) if order.cust and matches(order, one)]
        for order in ORDERS
    }
    return {str(order.id): o(order, *found[order.id]) for order in ORDERS if found[order.id]}


def later(order: Order) -> list[Order]:
    """Return the orders of the same customer after the next order."""
    return [one for one in orders_of(order.cust) if order.cust and one.id > order.id + 1]


def since(order: Order, others: list[Order], wanted: int = 1) -> list[Order]:
    """Return an order and the others up to the one with the ``wanted``th fee, or all others."""
    found = [order]
    for one in others:
        found.append(one)
        wanted -= one.fee is not None
        if not wanted:
            break
    return found


def known(order: Order, frame: list[Order]) -> list[Order]:
    """Return the last orders of a frame, from the last one with a value of ``small`` on."""
    first = max((at for at, one in enumerate(frame) if one.small is not None), default=0)
    return [order, *frame[first:]]


def filled(order: Order) -> list[Order]:
    """Return the orders from the last day with a value of ``small`` to the day of ``order``."""
    days = sorted({one.day for one in ORDERS}, key=lambda day: (day is not None, day))
    until = days[: days.index(order.day) + 1]
    known = [day for day in until if any(one.small is not None for one in ORDERS if one.day == day)]
    return [one for one in ORDERS if one.day in until[until.index(known[-1]) if known else 0 :]]


CASES = {
    "above_mean": Case(
        sql("SELECT id AS k FROM orders WHERE fee < (SELECT avg(fee) FROM orders WHERE id <> 3)"),
        lambda: each(
            lambda _: o(*(other for other in ORDERS if other.id != 3)),
            [order for order in ORDERS if order.fee is not None and order.fee < 1.4],
        ),
    ),
    "two_scalars": Case(  # the optimizer merges the two subqueries into one
        sql("SELECT id AS k, (SELECT max(nation) FROM customers) AS a,"
            " (SELECT min(nation) FROM customers) AS b FROM orders WHERE id < 3"),
        lambda: each(lambda order: o(order) | c(*CUSTOMERS), ORDERS[:2]),
    ),
    "scalar_of_nothing": Case(
        sql("SELECT id AS k, (SELECT max(id) FROM orders WHERE price < -1) AS m FROM orders"),
        lambda: each(lambda order: o(order)),
    ),
    "scalar_of_one_branch": Case(
        sql("SELECT 'a' || id AS k FROM orders WHERE small = (SELECT min(nation) FROM customers)"
            " UNION ALL SELECT 'b' || id FROM orders"),
        lambda: {f"a{order.id}": o(order) | c(*CUSTOMERS) for order in ORDERS if order.small == 1}
        | {f"b{order.id}": o(order) for order in ORDERS},
    ),
    "groups_above_a_scalar": Case(  # the rows of the subquery are shared by all groups
        sql("SELECT min(id) AS k, count(*) FROM orders"
            " WHERE id < (SELECT max(number) + 3 FROM customers) GROUP BY small"),
        lambda: {key: found | c(*CUSTOMERS)
                 for key, found in grouped(lambda order: order.small, ORDERS[:8]).items()},
    ),
    # a sort first reads a sample of its input, so the taps below it run twice
    "groups_in_order": Case(
        sql("SELECT cust AS k, count(*) FROM orders WHERE cust IS NOT NULL GROUP BY cust"
            " ORDER BY 2, 1"),
        lambda: {name: o(*orders_of(name)) for name in ("ann", "bob", "eve")},
    ),
    "correlated": Case(
        sql("SELECT id AS k FROM orders o WHERE id ="
            " (SELECT max(id) FROM orders i WHERE i.cust = o.cust)"),
        lambda: {str(max(order.id for order in orders_of(name))): o(*orders_of(name))
                 for name in ("ann", "bob", "eve")},
    ),
    "common_table": Case(
        sql("WITH t AS (SELECT cust, count(*) AS n FROM orders GROUP BY cust)"
            " SELECT coalesce(a.cust, 'None') AS k FROM t a JOIN t b ON a.n = b.n + 1"),
        lambda: {name: o(*orders_of(None), *orders_of(other))
                 for name, other in (("ann", "ann"), ("bob", "bob"), ("None", "eve"))},
    ),
    "exists_or": Case(
        sql("SELECT id AS k FROM orders WHERE id = 4 OR EXISTS"
            " (SELECT 1 FROM customers WHERE name = cust)"),
        lambda: each(
            lambda order: o(order) | c(*named(order)),
            [order for order in ORDERS if order.id == 4 or named(order)],
        ),
    ),
    "in_as_a_value": Case(
        sql("SELECT id AS k, coalesce(small IN (SELECT number FROM customers), false) AS found"
            " FROM orders"),
        lambda: each(
            lambda order: o(order) | c(*(one for one in CUSTOMERS if one.number == order.small))
        ),
    ),
    "semi_on_text": Case(
        lambda shop: shop.orders.join(shop.customers, F.col("cust") == F.col("name"), "semi")
        .select(F.col("id").alias("k")),
        lambda: each(lambda order: o(order) | c(*named(order)),
                     [order for order in ORDERS if named(order)]),
    ),
    "semi_on_two": Case(
        sql("SELECT id AS k FROM orders l WHERE (cust, small) IN"
            " (SELECT name, nation FROM customers)"),
        lambda: each(
            lambda order: o(order) | c(*(one for one in named(order) if one.nation == order.small)),
            [order for order in ORDERS
             if any(one.nation == order.small and one.nation is not None for one in named(order))],
        ),
    ),
    "semi_without_keys": Case(
        sql("SELECT id AS k FROM orders WHERE EXISTS (SELECT 1 FROM customers WHERE number > id)"),
        lambda: each(lambda order: o(order) | c(*CUSTOMERS[order.id :]), ORDERS[:5]),
    ),
    "semi_on_another": Case(
        sql("SELECT id AS k FROM orders l WHERE EXISTS"
            " (SELECT 1 FROM orders r WHERE r.cust = l.cust AND r.small <> l.small)"),
        lambda: matched(lambda order, one: None not in (order.small, one.small)
                        and order.small != one.small),
    ),
    "semi_on_earlier": Case(
        sql("SELECT id AS k FROM orders l WHERE EXISTS"
            " (SELECT 1 FROM orders r WHERE r.cust = l.cust AND l.day >= r.day)"),
        lambda: matched(lambda order, one: None not in (order.day, one.day)
                        and str(order.day) >= str(one.day)),
    ),
    "semi_on_two_conditions": Case(  # a superset: all orders of the customer
        sql("SELECT id AS k FROM orders l WHERE EXISTS"
            " (SELECT 1 FROM orders r WHERE r.cust = l.cust AND r.id < l.id AND r.id > l.small)"),
        lambda: each(
            lambda order: o(*orders_of(order.cust)),
            [order for order in ORDERS if order.small is not None and any(
                order.small < one.id < order.id for one in orders_of(order.cust) if one.cust)],
        ),
    ),
    "exists_later_or": Case(
        sql("SELECT id AS k FROM orders l WHERE small IS NULL OR EXISTS"
            " (SELECT 1 FROM orders r WHERE r.cust = l.cust AND r.id > l.id + 1)"),
        lambda: each(
            lambda order: o(order, *later(order)),
            [order for order in ORDERS if order.small is None or later(order)],
        ),
    ),
    "semi_with_itself": Case(
        sql("SELECT id AS k FROM orders WHERE cust IN (SELECT cust FROM orders WHERE small = 2)"),
        lambda: each(
            lambda order: o(order, *(one for one in orders_of(order.cust) if one.small == 2)),
            [*orders_of("ann"), *orders_of("eve")],
        ),
    ),
    "not_in": Case(
        sql("SELECT id AS k FROM orders WHERE id NOT IN (SELECT number FROM customers)"),
        lambda: each(lambda order: o(order), ORDERS[6:]),
    ),
    "whole_partition": Case(
        sql("SELECT id AS k, sum(id) OVER (PARTITION BY cust) AS s FROM orders"),
        lambda: each(partition),
    ),
    "whole_table": Case(
        sql("SELECT id AS k, max(id) OVER () AS s FROM orders"),
        lambda: each(lambda _: o(*ORDERS)),
    ),
    "partition_of_long": Case(
        sql("SELECT id AS k, count(*) OVER (PARTITION BY large) AS s FROM orders"),
        lambda: each(lambda order: o(*(one for one in ORDERS if one.large == order.large))),
    ),
    "ranked": Case(
        sql("SELECT id AS k, row_number() OVER (PARTITION BY cust ORDER BY id) AS r,"
            " lag(price) OVER (PARTITION BY cust ORDER BY id) AS l FROM orders"),
        lambda: each(lambda order: o(*before(order))),
    ),
    "near": Case(
        sql("SELECT id AS k, sum(id) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND 2 FOLLOWING)"
            " AS s FROM orders"),
        lambda: each(lambda order: o(*(one for one in ORDERS if -1 <= one.id - order.id <= 2))),
    ),
    # also the row between, because without it another row would be the last but one
    "last_but_one": Case(
        sql("SELECT id AS k, lag(price, 2) OVER (ORDER BY id) AS l FROM orders"),
        lambda: each(lambda order: o(*(one for one in ORDERS if 0 <= order.id - one.id <= 2))),
    ),
    "third_next": Case(
        sql("SELECT id AS k, lead(fee, 3) OVER (PARTITION BY cust ORDER BY id) AS l FROM orders"),
        lambda: each(lambda order: partition(order) - o(*before(order)) | o(order)),
    ),
    "passed_over": Case(
        sql("SELECT id AS k, sum(price) OVER (ORDER BY id ROWS BETWEEN 4 PRECEDING AND 3 PRECEDING)"
            " FROM orders"),
        lambda: each(lambda order: o(*(one for one in ORDERS if 0 <= order.id - one.id <= 4))),
    ),
    "all_but_one": Case(
        sql("SELECT id AS k, sum(id) OVER (ORDER BY id DESC ROWS BETWEEN 2 FOLLOWING AND"
            " UNBOUNDED FOLLOWING) FROM orders"),
        lambda: each(lambda order: o(*(one for one in ORDERS if one.id <= order.id))),
    ),
    "offset": Case(  # the op is declared to depend on other rows, too
        sql("SELECT id AS k FROM orders ORDER BY id LIMIT 2 OFFSET 3"),
        lambda: each(lambda order: o(order), ORDERS[3:5]),
    ),
    "last_known": Case(
        sql("SELECT id AS k, lag(fee) IGNORE NULLS OVER (PARTITION BY cust ORDER BY id) AS l"
            " FROM orders"),
        lambda: each(lambda order: o(*since(order, before(order)[-2::-1]))),
    ),
    "second_next_known": Case(
        sql("SELECT id AS k, lead(fee, 2) IGNORE NULLS OVER (ORDER BY id) AS l FROM orders"),
        lambda: each(lambda order: o(*since(order, ORDERS[order.id :], 2))),
    ),
    "filled": Case(
        sql("SELECT id AS k, last_value(small) IGNORE NULLS OVER (ORDER BY id ROWS BETWEEN"
            " 3 PRECEDING AND CURRENT ROW) AS l FROM orders"),
        lambda: each(lambda order: o(*known(order, ORDERS[max(order.id - 4, 0) : order.id]))),
    ),
    "filled_with_ties": Case(  # rows of one day are peers
        sql("SELECT id AS k, last_value(small) IGNORE NULLS OVER (ORDER BY day) AS l FROM orders"),
        lambda: each(lambda order: o(*filled(order))),
    ),
    "groups_above_ranks": Case(
        sql("SELECT min(id) AS k, sum(r) FROM (SELECT id, small, row_number() OVER"
            " (PARTITION BY cust ORDER BY id) AS r FROM orders) GROUP BY small"),
        lambda: {
            key: set().union(*(o(*before(order)) for order in ORDERS if o(order) <= found))
            for key, found in grouped(lambda order: order.small).items()
        },
    ),
    "first_of_each": Case(  # Spark drops rows of higher ranks before the window
        lambda shop: shop.orders.withColumn(
            "r", F.row_number().over(Window.partitionBy("cust").orderBy("id"))
        ).where("r = 1").select(F.col("id").alias("k")),
        lambda: each(lambda order: o(order), [ORDERS[0], ORDERS[1], ORDERS[3], ORDERS[7]]),
    ),
    "window_of_nothing": Case(
        sql("SELECT id AS k, sum(id) OVER (PARTITION BY cust) AS s FROM orders WHERE price < -1"),
        dict,
    ),
    "groups_above_windows": Case(
        sql("SELECT min(id) AS k, sum(s) FROM (SELECT id, small, sum(id) OVER (PARTITION BY cust)"
            " AS s FROM orders) GROUP BY small"),
        lambda: {
            key: set().union(*(partition(order) for order in ORDERS if o(order) <= found))
            for key, found in grouped(lambda order: order.small).items()
        },
    ),
    "intersected": Case(
        sql("SELECT cust AS k FROM orders WHERE cust IS NOT NULL"
            " INTERSECT SELECT name FROM customers"),
        lambda: {name: o(*orders_of(name)) | c(*(one for one in CUSTOMERS if one.name == name))
                 for name in ("ann", "bob", "eve")},
    ),
    "intersected_with_null": Case(
        sql("SELECT coalesce(cust, 'None') AS k FROM"
            " (SELECT cust FROM orders INTERSECT SELECT name FROM customers)"),
        lambda: {str(name): o(*orders_of(name)) | c(*(one for one in CUSTOMERS if one.name == name))
                 for name in ("ann", "bob", "eve", None)},
    ),
    "intersected_all": Case(  # it is unknown which of several equal rows are left
        sql("SELECT k || '-' || row_number() OVER (PARTITION BY k ORDER BY k) AS k FROM"
            " (SELECT cust AS k FROM orders WHERE cust IS NOT NULL"
            " INTERSECT ALL SELECT name FROM customers)"),
        lambda: {
            f"{name}-{n + 1}": o(*orders_of(name)) | c(*called(name))
            for name in ("ann", "bob", "eve")
            for n in range(min(len(orders_of(name)), len(called(name))))
        },
    ),
    "excepted": Case(
        sql("SELECT id AS k FROM orders EXCEPT SELECT number FROM customers"),
        lambda: each(lambda order: o(order), ORDERS[6:]),
    ),
    "excepted_all": Case(  # it is unknown which of several equal rows are left
        sql("SELECT k || '-' || row_number() OVER (PARTITION BY k ORDER BY k) AS k FROM"
            " (SELECT cust AS k FROM orders WHERE cust IS NOT NULL"
            " EXCEPT ALL SELECT name FROM customers WHERE name = 'ann')"),
        lambda: {
            f"{name}-{n + 1}": o(*orders_of(name)) | (c(CUSTOMERS[0]) if name == "ann" else set())
            for name in ("ann", "bob", "eve")
            for n in range(len(orders_of(name)) - (name == "ann"))
        },
    ),
    "pivoted": Case(
        lambda shop: shop.orders.where("cust is not null").groupBy(F.col("cust").alias("k"))
        .pivot("small", [1, 2]).agg(F.sum("price")),
        lambda: {name: o(*orders_of(name)) for name in ("ann", "bob", "eve")},
    ),
    "grouping_sets": Case(
        sql("SELECT concat_ws('-', cust, small, grouping_id()) AS k, count(*) FROM orders"
            " WHERE cust IS NOT NULL AND small IS NOT NULL"
            " GROUP BY GROUPING SETS ((cust, small), (small), ())"),
        lambda: grouping_sets(),
    ),
}  # fmt: skip


def grouping_sets() -> Lineage:
    found: Lineage = {}
    for order in ORDERS:
        if order.cust is not None and order.small is not None:
            for key in (f"{order.cust}-{order.small}-0", f"{order.small}-2", "3"):
                found.setdefault(key, set()).update(o(order))
    return found


DAILY = ("last_known", "semi_on_another", "semi_on_two_conditions", "whole_table")
"""The cases that ``test_daily.py`` includes: exact ones and supersets."""


@pytest.mark.long
def test_parts_that_are_too_large_share_stretches_of_rows(
    block: Block, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trace, "MOST_PER_ROW", 0)
    monkeypatch.setattr(stretches, "LEAST_BITS", 0)
    names = ["groups_above_ranks", "ranked", "near", "all_but_one", "last_known", "filled"]
    done = block([*names, "semi_on_another", "semi_without_keys"])
    done.check_all()
    with done.house.open() as warehouse:
        assert {op.exactness for op in warehouse.ops()} == {"exact"}


@pytest.mark.long
def test_a_key_that_stands_for_a_missing_one_is_refused(
    houses: Callable[..., House], spark: SparkSession, tmp_path: Path
) -> None:
    text = "SELECT if(id < 3, -9223372036854775808, id) AS k, count(*) FROM orders GROUP BY 1"
    case = Case(sql(text), dict)
    write_shop(tmp_path)
    with pytest.raises(BadInput, match="has the key -9223372036854775808"):
        written({"lowest": case}, tmp_path, houses(), spark)


@pytest.mark.long
def test_all_rules(block: Block) -> None:
    block(CASES).check_all()


@pytest.mark.long
@pytest.mark.filterwarnings("ignore:Keys are declared")
def test_a_shared_derivation_needs_one_entry_a_row(block: Block) -> None:
    """Nine rows derive from the same nine rows. They need 9 + 9 + 9 triples instead of 81."""
    commit = block(("whole_table",)).house.commit
    assert commit.triples - commit.beyond.total == 27
