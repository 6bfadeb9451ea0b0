"""Linked views, linked results and dependencies agree with SQL that spells out the question."""

import random

import duckdb
import numpy as np
import pytest

from provhouse.interactive import Connection, connect
from provhouse.model.errors import UsageError


@pytest.fixture
def con() -> Connection:
    """Random orders and their customers. Some customers have two segments."""
    draw = random.Random(5)
    con = connect(duckdb.connect())
    con.execute("create table orders (id int, customer int, segment varchar, price double)")
    rows: list[tuple[object, ...]] = []
    for at in range(400):
        customer = draw.choice([None, *range(40)])
        segment = draw.choice(["a", "b", None]) if customer in (3, 7, None) else f"s{customer % 4}"
        rows.append((at, customer, segment, draw.uniform(0, 100)))
    marks = ", ".join(["(?, ?, ?, ?)"] * len(rows))
    con.duckdb.execute(f"insert into orders values {marks}", [cell for row in rows for cell in row])
    con.execute("create table customers as select range as id, range % 3 as area from range(40)")
    con.execute("delete from orders where id % 11 = 0")  # makes gaps between the rids
    return con


@pytest.mark.long
def test_linked_results_highlight_rows_that_share_a_record(con: Connection) -> None:
    first = con.sql("select segment, count(*) n from orders group by segment", lineage=True)
    second = con.sql(
        "select area, sum(price) s from orders o join customers c on c.id = customer group by area",
        lineage=True,
    )
    third = con.sql("select id, price from orders where price > 50", lineage=True)
    for one, other in ((first, second), (second, first), (second, third), (third, second)):
        link = con.link(one, other)
        for row in range(min(len(one), 20)):
            expected = other.forward("orders", one.backward("orders", [row]).rids)
            assert link.highlight(one, [row]).tolist() == expected.tolist()
            assert expected.size or one is third
        for row in range(min(len(other), 5)):
            expected = one.forward("orders", other.backward("orders", [row]).rids)
            assert link.highlight(other, [row]).tolist() == expected.tolist()


def test_a_view_cannot_have_the_name_of_another_column(con: Connection) -> None:
    with pytest.raises(UsageError, match="both a view and a column"):
        con.views("orders", price="price // 10", measures=["price"])


def test_results_without_a_shared_table_cannot_be_linked(con: Connection) -> None:
    one = con.sql("select * from orders", lineage=True)
    other = con.sql("select * from customers", lineage=True)
    with pytest.raises(UsageError, match="cannot be linked"):
        con.link(one, other)
    link = con.link(one, con.sql("select count(*) from orders", lineage=True))
    con.execute("delete from orders where id = 1")
    with pytest.raises(UsageError, match="no longer"):
        link.highlight(one, [0])


@pytest.mark.parametrize(
    "dependency",
    ["customer -> segment", "segment->customer", "id -> price", "Customer, id -> segment, price"],
)
def test_violations_are_those_of_plain_sql(con: Connection, dependency: str) -> None:
    found = con.check_fd("orders", dependency)
    left, right = (side.strip() for side in dependency.split("->"))
    groups = con.duckdb.sql(
        f"select {left} from orders group by all having count(distinct row({right})) > 1"
    ).fetchall()
    assert sorted(map(str, found.groups.drop_columns("rows").to_pylist())) == sorted(
        str(dict(zip([name.strip().lower() for name in left.split(",")], group, strict=True)))
        for group in groups
    )
    for at, group in enumerate(found.groups.to_pylist()):
        rows = found.records(at)
        assert len(rows) == group["rows"]
        keys = set(
            zip(
                *rows.to_arrow().select(found.groups.column_names[:-1]).to_pydict().values(),
                strict=True,
            )
        )
        assert keys == {tuple(group.values())[:-1]}
    assert len(found.records()) == sum(found.groups.column("rows").to_pylist())


@pytest.mark.parametrize(
    ("table", "dependency", "problem"),
    [
        ("order", "a -> b", "no table 'order'"),
        ("orders", "a -> b", "has no column 'a'"),
        ("orders", "customer", "not a functional dependency"),
    ],
)
def test_a_wrong_dependency_is_refused(
    con: Connection, table: str, dependency: str, problem: str
) -> None:
    with pytest.raises(UsageError, match=problem):
        con.check_fd(table, dependency)


def test_views_of_a_table_lead_to_its_records(con: Connection) -> None:
    views = con.views(
        "orders", tens="customer // 10", segment="segment", measures=["price"], bins={"segment": 3}
    )
    labels = views.bars["tens"].labels
    answer = views.brush("tens", [labels.index("2")])
    records = views.records()
    expected = con.duckdb.sql("select rowid from orders where customer // 10 = 2 order by 1")
    assert records.rids.tolist() == [rid for (rid,) in expected.fetchall()]
    (total,) = con.duckdb.sql("select sum(price) from orders where customer // 10 = 2").fetchall()[
        0
    ]
    assert np.isclose(answer.views["segment"].sums["price"].sum(), total)
    assert len(views.records({"tens": [0]}, limit=3)) == 3
    con.execute("delete from orders where id = 1")
    with pytest.raises(UsageError, match="no longer"):
        views.records()
    with pytest.raises(UsageError, match="bins names 'x'"):
        con.views("orders", tens="customer", bins={"x": 3})
