"""``run.trace`` finds the same rows as the warehouse, inside a block and after it."""

import gc
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from helpers.lineage_cases import Shop
from helpers.shop import ORDERS, write_shop
from helpers.warehouse import House
from provhouse.capturing.walks.cursor import Cursor
from provhouse.model.errors import BadInput, UsageError
from provhouse.query.listing.status import status

MATCHES = {"orders": "id", "customers": "number", "matches": "id"}
KEYS = {**MATCHES, "totals": "nation"}
COPIES = {"orders": "id", "copies": "id"}


@pytest.fixture
def shop(spark: SparkSession, tmp_path: Path) -> Shop:
    """The tables of an example shop, as frames."""
    write_shop(tmp_path)
    return Shop(*(spark.read.parquet(str(tmp_path / name)) for name in ("orders", "customers")))


def write_matches(shop: Shop, folder: Path) -> None:
    """Write orders with their customers, in two partitions."""
    once = shop.customers.where("number <> 3")
    both = shop.orders.join(once, F.col("cust") == F.col("name"))
    both.write.partitionBy("cust").parquet(str(folder / "matches"))


def write_totals(shop: Shop, folder: Path) -> None:
    """Count the matches of each nation, read from the files that ``write_matches`` wrote."""
    matches = shop.orders.sparkSession.read.parquet(str(folder / "matches"))
    totals = matches.where("nation IS NOT NULL").groupBy("nation").count()
    totals.write.parquet(str(folder / "totals"))


def ids(cursor: Cursor, table: str, key: str) -> set[str]:
    """Return the item names, as in a warehouse, of the cursor's rows in one table."""
    return {f"{table}/{row[key]}" for row in cursor.of(table).records().collect()}


@pytest.mark.long
@pytest.mark.parametrize("limits", [(), ("FEW", "HELD")])
def test_a_row_leads_to_its_sources_through_all_writes_and_back(
    limits: tuple[str, ...],
    houses: Callable[..., House],
    shop: Shop,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    house = houses()
    with house.capture(keys=KEYS) as run:
        write_matches(shop, tmp_path)
        inside = run.trace("matches").where("cust = 'bob'").go_back()
        assert ids(inside, "orders", "id") == {
            f"orders/{order.id}" for order in ORDERS if order.cust == "bob"
        }
        write_totals(shop, tmp_path)
    house.check()

    row = run.trace("totals").where("nation = 1")
    sources = row.go_back_all()
    assert sources.tables() == ["orders", "customers"]
    expected = {f"orders/{order.id}" for order in ORDERS if order.cust == "ann"}
    assert ids(sources, "orders", "id") == expected
    assert ids(sources, "customers", "number") == {"customers/1"}
    with house.open() as warehouse:
        items = {item.item for item in warehouse.lineage("totals/1").items}
    assert expected | {"customers/1"} == {
        item for item in items if item.startswith(("orders/", "customers/"))
    }

    groups = row.go_back()
    assert [each["of"] for each in groups.ids().collect()] == ["aggregate by nation"]
    matches = groups.go_back()
    assert ids(matches, "matches", "id") == {item.replace("orders", "matches") for item in expected}
    found, start = rows(sources), rows(row)
    assert rows(matches.go_back()) == found
    assert rows(sources.of("customers").go_next_all()) == start
    assert rows(matches.go_next().go_next()) == start
    assert rows(sources.go_next()) == rows(matches)
    eve = run.trace("matches").filter("cust = 'eve'")
    assert rows(eve.go_back_all().go_next_all()) == set()
    both = matches & run.trace("matches").where("id < 5")
    assert ids(both, "matches", "id") == {"matches/1", "matches/3"}

    priced = sources.of("orders").where("price > 1").records().groupBy("cust").count().collect()
    assert [(each["cust"], each["count"]) for each in priced] == [("ann", 2)]
    capsys.readouterr()
    sources.show()
    shown = capsys.readouterr().out
    assert "orders\n" in shown
    assert "|number|name|nation|" in shown

    # first, more ids in memory than a condition lists; then, ids in frames
    for limit in limits:
        monkeypatch.setattr(f"provhouse.capturing.walks.cursor_ids.{limit}", 1)
        many = run.trace("totals").where("nation = 1").go_back_all()
        assert rows(many) == found
        assert ids(many, "orders", "id") == expected
        assert rows(many.of("customers").go_next_all()) == start
        assert many.of("orders").records().count() == len(expected)
        assert rows(many & sources) == found
    monkeypatch.undo()

    with pytest.raises(UsageError, match="several tables"):
        sources.records()
    with pytest.raises(UsageError, match="groups of an operator"):
        groups.records()
    with pytest.raises(UsageError, match="without rows"):
        eve.go_back_all().go_next_all().records()
    with pytest.raises(UsageError, match="orders, customers, matches, totals"):
        run.trace("nowhere")
    shutil.rmtree(tmp_path / "customers")
    with pytest.raises(BadInput, match="is not the file"):
        sources.of("customers").records()
    run.close()
    assert not [*house.layout.captured.iterdir()]
    with pytest.raises(UsageError, match="were deleted"):
        run.trace("matches")


def rows(cursor: Cursor) -> set[tuple[str, int]]:
    return {(row["file"], row["row"]) for row in cursor.ids().collect()}


@pytest.mark.long
def test_files_are_kept_as_long_as_the_run_or_a_cursor(
    houses: Callable[..., House], shop: Shop, tmp_path: Path
) -> None:
    house = houses()
    with house.capture(keys=COPIES) as run:
        shop.orders.write.parquet(str(tmp_path / "copies"))
    (folder,) = house.layout.captured.iterdir()
    left = shutil.copytree(folder, folder.with_name("left"))  # as a process that died has left it
    assert not status(house.settings).waiting
    with house.capture():
        assert folder.exists()
        assert not left.exists()
    cursor = run.trace("copies").where("id = 1")
    del run
    gc.collect()
    assert cursor.go_back_all().count() == 1
    assert folder.exists()
    del cursor
    gc.collect()
    assert not folder.exists()


@pytest.mark.long
def test_a_cursor_of_marks_stops_at_marked_rows(
    houses: Callable[..., House], shop: Shop, tmp_path: Path
) -> None:
    house = houses()
    keys = {"orders": "id", "cleaned": "id", "counts": "cust"}
    with house.capture(keys=keys) as run:
        cleaned = run.mark(shop.orders.where("cust IS NOT NULL"), "cleaned")
        cleaned.groupBy("cust").count().write.parquet(str(tmp_path / "counts"))
    steps = [run.trace("counts").where("cust = 'bob'")]
    for _ in range(3):
        steps.append(steps[-1].go_back())
    names = [{row["of"] for row in step.ids().collect()} for step in steps]
    assert names == [{"counts"}, {"aggregate by cust"}, {"mark cleaned"}, {"orders"}]
    assert [step.count() for step in steps] == [1, 1, 3, 3]
    assert rows(steps[-1].go_next_all()) == rows(steps[0])
    assert steps[-1].count() == len([each for each in ORDERS if each.cust == "bob"])


@pytest.mark.long
def test_the_examples_of_titians_paper(
    houses: Callable[..., House], spark: SparkSession, tmp_path: Path
) -> None:
    """The most frequent error code leads back to its log lines, and NETWORK lines lead to codes."""
    lines = [
        "ERROR 40 NETWORK down", "ok", "ERROR 7 disk full", "ERROR 40 DISK slow",
        "warning NETWORK slow", "ERROR 3 NETWORK lost", "ERROR 40 user Guest",
    ]  # fmt: skip
    frame = spark.createDataFrame([(n, line) for n, line in enumerate(lines)], "n int, line string")
    frame.repartition(2).write.parquet(str(tmp_path / "log"))
    log = spark.read.parquet(str(tmp_path / "log"))
    errors = log.where("line LIKE 'ERROR%'").selectExpr("split(line, ' ')[1] AS code")
    with houses().capture(keys={"log": "n", "codes": "code"}) as run:
        errors.groupBy("code").count().write.parquet(str(tmp_path / "codes"))

    codes = run.trace("codes")
    (most,) = codes.records().orderBy(F.desc("count")).limit(1).collect()
    causes = codes.where(f"code = '{most['code']}'").go_back_all().records()
    assert {row["line"] for row in causes.collect()} == {line for line in lines if " 40 " in line}

    network = run.trace("log").where("line LIKE '%NETWORK%'")
    assert network.count() == 3
    reached = network.go_next_all().records()
    assert {row["code"] for row in reached.collect()} == {"40", "3"}
