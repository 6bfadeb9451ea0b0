"""Questions to the warehouse follow the rows of a saved result to older items."""

from collections.abc import Callable
from itertools import pairwise

import duckdb
import numpy as np
import pytest

from helpers.oracle import Triple
from helpers.warehouse import House
from provhouse.interactive import Connection, connect, saving
from provhouse.interactive.index.rid_indexes import Chain, from_pairs
from provhouse.interactive.saving import operation
from provhouse.model.errors import NotFound, UsageError


@pytest.fixture(scope="module")
def con() -> Connection:
    """Flights and carriers. Some flights are deleted, so that the rids have gaps."""
    con = connect(duckdb.connect())
    con.execute("""
        create table flights as
            select range + 100 as id, 'c' || range % 3 as carrier, range as delay from range(20);
        create table carriers as
            select 'c' || range as code, 'name ' || range as name from range(3);
        delete from flights where id = 103""")
    return con


@pytest.mark.long
@pytest.mark.parametrize("rows_by_id", [True, pytest.param(False, marks=pytest.mark.long)])
def test_lineage_leads_from_a_saved_row_to_the_raw_rows(
    houses: Callable[..., House], con: Connection, rows_by_id: bool
) -> None:
    house = houses()
    cleaned = [
        Triple(f"raw/{at}", f"flights/{at}", "clean", "raw", "flights") for at in range(99, 121)
    ]
    house.ingest(cleaned)
    key = "ascii(carrier[2])" if rows_by_id else "carrier"
    text = f"select {key} as k, avg(delay) from flights group by all order by 1"
    result = con.sql(text, lineage=True)
    summary = result.save(
        house.settings.warehouse, table="report", key="k", names={"flights": "id"},
        neo4j_home=house.settings.neo4j_home,
    )  # fmt: skip
    house.check()
    assert summary.new_triples == 19
    with house.open() as warehouse:
        for at, name in enumerate(result.to_arrow().column("k").to_pylist()):
            ids = result.backward("flights", [at]).to_arrow().column("id").to_pylist()
            found = {triple.src for triple in warehouse.lineage(f"report/{name}").triples}
            assert found == {f"{table}/{id_}" for id_ in ids for table in ("flights", "raw")}


@pytest.mark.long
def test_a_join_derives_from_records_of_both_tables(
    houses: Callable[..., House], con: Connection
) -> None:
    house = houses()
    text = "select id, name from flights join carriers on code = carrier where delay > 14"
    result = con.sql(text, lineage=True)
    home = house.settings.neo4j_home
    names = {"flights": "id", "carriers": "code"}
    result.save(house.settings.warehouse, table="late", key="id", names=names, neo4j_home=home)
    house.check()
    with house.open() as warehouse:
        triples = list(warehouse.lineage("late/118").triples)
        assert {triple.src for triple in triples} == {"flights/118", "carriers/c0"}
        assert {triple.op for triple in triples} == {"join"}


def test_lineage_never_mixes_two_nights(houses: Callable[..., House]) -> None:
    house = houses()
    folder, home = house.settings.warehouse, house.settings.neo4j_home
    query = "select carrier, count(*) from flights group by 1"
    con = connect(duckdb.connect())
    for night, carriers in enumerate((["UA", "UA", "UA", "AA"], ["UA", "UA", "UA"])):
        rows = ", ".join(str((10 * night + at, each)) for at, each in enumerate(carriers))
        con.execute(f"create or replace table flights as from (values {rows}) t(id, carrier)")
        result = con.sql(f"create or replace table report as {query}", lineage=True)
        result.save(folder, table="late", key="carrier", names={"flights": "id"}, neo4j_home=home)
    house.check()
    with house.open() as warehouse:
        answer = warehouse.lineage("late/UA")
        assert {each.item for each in answer.items} == {f"flights/{at}" for at in (10, 11, 12)}
        both = warehouse.lineage("late/UA", all_versions=True)
        assert (len(both.items), len(both.versions)) == (6, 2)
        older, newer = sorted(both.versions, key=lambda name: int(name.rpartition("@")[2]))
        assert answer.versions == (newer,)
        first = warehouse.lineage(older)
        assert {each.item for each in first.items} == {f"flights/{at}" for at in (0, 1, 2)}
        with pytest.raises(NotFound, match="'late/AA' was deleted"):
            warehouse.lineage("late/AA")
    con.execute("create table late as select 'UA' as carrier")
    late = con.sql("select * from late", lineage=True)
    with pytest.raises(UsageError, match="have versions in the warehouse"):
        late.save(folder, table="top", key="carrier", names={"late": "carrier"}, neo4j_home=home)
    con.execute(f"create or replace table late as select '{newer[5:]}' as carrier")
    late = con.sql("insert into report select 'XX', 1 from late", lineage=True)
    late.save(folder, table="late", key="'XX'", names={"late": "carrier"}, neo4j_home=home)
    with house.open() as warehouse:
        items = {each.item for each in warehouse.lineage("late/XX").items}
        assert items == {newer, *(f"flights/{at}" for at in (10, 11, 12))}
        assert warehouse.lineage("late/UA").versions == (newer,)  # an INSERT deletes no rows
    con.execute("create table prices as from (values (12.50), (3.00)) t(price)")
    prices = con.sql("select price from prices", lineage=True)
    prices.save(folder, table="cheap", key="price", names={"prices": "price"}, neo4j_home=home)
    with house.open() as warehouse:
        for text in ("12.5", "3"):
            assert {each.item for each in warehouse.lineage(f"cheap/{text}").items} == {
                f"prices/{text}"
            }


@pytest.mark.parametrize("chunk", [1, 3, 1000])
def test_pairs_along_several_links_are_those_of_each_row(
    monkeypatch: pytest.MonkeyPatch, chunk: int
) -> None:
    monkeypatch.setattr(saving, "CHUNK", chunk)
    draw = np.random.default_rng(5)
    for _ in range(50):
        sizes = draw.integers(1, 12, 4).tolist()
        links = [
            from_pairs(draw.integers(0, rows, 9), draw.integers(0, number, 9), rows, number)
            for rows, number in pairwise(sizes)
        ]
        chain = Chain(links[: draw.integers(1, 4)])
        found = [
            pair
            for rows, rids in saving.gathered(chain, sizes[0])
            for pair in zip(rows.tolist(), rids.tolist(), strict=True)
        ]
        assert len(found) == len(set(found))
        assert set(found) == {
            (row, rid)
            for row in range(sizes[0])
            for rid in chain.backward(np.array([row])).tolist()
        }


@pytest.mark.parametrize(
    ("key", "names", "problem"),
    [
        ("x", {"flights": "id"}, "no column 'x'"),
        ("carrier", {}, "records of flights have no names"),
        ("carrier", {"flights": "number"}, "flights has no column 'number'"),
        ("carrier", {"flights": "carrier"}, "does not identify"),
        ("one", {"flights": "id"}, "'one' does not identify"),
    ],
)
def test_what_has_no_names_cannot_be_saved(
    con: Connection, key: str, names: dict[str, str], problem: str
) -> None:
    result = con.sql("select carrier, 1 as one from flights group by carrier", lineage=True)
    with pytest.raises(UsageError, match=problem):
        result.save("nowhere", table="t", key=key, names=names)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("select a from t", ("select", "all")),
        ("select a from t join u using (b)", ("join", "all")),
        ("select distinct a from t", ("distinct", "any")),
        ("select a, sum(b) from t group by a", ("group by", "aggregate")),
        ("select sum(b) from t", ("group by", "aggregate")),
        ("select a from t union select b from u", ("union", "any")),
        ("select distinct a from t join u using (b)", ("distinct", "unknown")),
        ("select a from t union select a from t join u using (b)", ("union", "unknown")),
        ("select a from t left join u using (b)", ("join", "unknown")),
        ("select a from t semi join u using (b)", ("join", "unknown")),
        ("select a from t where a in (1, 2)", ("select", "all")),
        ("select a from t limit 3", ("select", "unknown")),
        ("select a, sum(b) from t group by a having sum(b) > 1", ("group by", "unknown")),
        ("select a from a_view", ("select", "unknown")),
        ("select a from t except select b from u", ("except", "unknown")),
        ("select a from t where a in (select b from u)", ("select", "unknown")),
        ("select a from t where a > all(select b from u)", ("select", "unknown")),
        ("select array(select b from u) from t", ("select", "unknown")),
        ("with u as (select a from t) select a from u", ("select", "unknown")),
    ],
)
def test_the_kind_of_an_operation_follows_from_the_outermost_operator(
    query: str, expected: tuple[str, str]
) -> None:
    assert operation(query, ["t", "u"]) == expected
