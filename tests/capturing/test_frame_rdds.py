"""Rows that go through ``frame.rdd`` derive from all rows of that frame, and are marked so.

Functions of RDDs may use any rows. The expected rows are those that the frame has when its rows go
to the RDD: not those that it has filtered out.
"""

import warnings
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from helpers.warehouse import House
from helpers.witnesses import Found, found_of, rows_of
from provhouse.capturing.jvm_rules import CaptureReports, capturing
from provhouse.capturing.reading.finished import captured_writes
from provhouse.model.errors import UsageError

COUNT = 10
GROUPS = [None if k % 5 == 4 else k % 3 for k in range(COUNT)]
PEOPLE = 3
Program = Callable[[DataFrame, DataFrame], DataFrame]


def keys(count: int) -> set[int]:
    return {*range(count)}


def simple(orders: DataFrame, _: DataFrame) -> DataFrame:
    """Let Spark infer the types of an RDD's rows, for which it first reads only one of them."""
    return orders.where("v IS NOT NULL").rdd.map(lambda row: (row.k + 100, row.v)).toDF(["k", "v"])


def of_groups(orders: DataFrame, _: DataFrame) -> DataFrame:
    totals = orders.where("k > 1").groupBy("v").agg(F.sum("k").alias("k"), F.count("*").alias("n"))
    return totals.orderBy("n", "k").rdd.filter(lambda row: row.n > 1).toDF()


def shuffled(orders: DataFrame, _: DataFrame) -> DataFrame:
    """Merge the rows of an RDD, and then those of the frame that is made from it."""
    pairs = orders.rdd.map(lambda row: (row.v, row.k)).reduceByKey(max)
    frame = orders.sparkSession.createDataFrame(pairs, "v int, k bigint")
    return frame.groupBy((F.col("k") % 2).alias("odd")).agg(F.max("k").alias("k"))


def joined(orders: DataFrame, people: DataFrame) -> DataFrame:
    left = orders.where("k < 4").rdd.map(lambda row: (row.k, row.v))
    right = people.rdd.map(lambda row: (row.k, row.name))
    rows = left.leftOuterJoin(right).map(lambda row: (row[0], row[1][1]))
    return rows.toDF("k bigint, name string")


def beside(orders: DataFrame, people: DataFrame) -> DataFrame:
    """Join rows of an RDD with a frame that goes through none."""
    frame = people.rdd.map(lambda row: (row.k, row.name)).toDF("k bigint, name string")
    return orders.where("k > 0").join(frame, "k").select("k", "name")


def twice(orders: DataFrame, _: DataFrame) -> DataFrame:
    rows = orders.where("k > 2").rdd.map(lambda row: (row.k,)).cache()
    assert rows.count() == COUNT - 3
    frame = rows.toDF("k bigint").where("k > 4")
    return frame.rdd.map(lambda row: (row.k,)).toDF("k bigint")


def empty(orders: DataFrame, _: DataFrame) -> DataFrame:
    return orders.where("k > 2").rdd.filter(lambda row: False).toDF("k bigint, v int")


def ranged(orders: DataFrame, people: DataFrame) -> DataFrame:
    """Join rows of the program with rows that Spark sends to all tasks, outside of any RDD."""
    numbers = orders.sparkSession.range(COUNT * 2).join(
        F.broadcast(orders), F.col("id") == orders.k
    )
    found = numbers.rdd.map(lambda row: (row.k, row.v)).toDF("k bigint, v int")
    orders.createOrReplaceTempView("orders")
    people.createOrReplaceTempView("people")
    rows = orders.sparkSession.range(COUNT).where("id <= (SELECT max(k) FROM people)").rdd
    return found.union(rows.map(lambda row: (row.id + 100, 0)).toDF("k bigint, v int"))


def over(orders: DataFrame, people: DataFrame) -> DataFrame:
    """Join the rows of an RDD with other rows, and pass them to another RDD."""
    frame = orders.where("k > 4").rdd.map(lambda row: (row.k - 5, row.v)).toDF("k bigint, v int")
    rows = frame.join(F.broadcast(people), "k").rdd.map(lambda row: (row.k, row.name))
    return rows.toDF("k bigint, name string")


def as_json(orders: DataFrame, _: DataFrame) -> DataFrame:
    """Parse strings of an RDD, for which Spark makes a plan that scans only this RDD."""
    texts = orders.where("k > 4").rdd.map(lambda row: f'{{"k": {row.k}}}')
    return orders.sparkSession.read.json(texts)


def as_csv(orders: DataFrame, _: DataFrame) -> DataFrame:
    """Parse lines of an RDD, for which Spark makes a plan that also leaves out empty lines."""
    return orders.sparkSession.read.csv(
        orders.where("k > 4").rdd.map(lambda row: str(row.k)), "k bigint"
    )


PROGRAMS: dict[str, tuple[Program, set[int], set[int]]] = {
    "simple": (simple, {k for k in range(COUNT) if GROUPS[k] is not None}, set()),
    "groups": (of_groups, keys(COUNT) - {0, 1}, set()),
    "shuffled": (shuffled, keys(COUNT), set()),
    "joined": (joined, keys(4), keys(PEOPLE)),
    "twice": (twice, keys(COUNT) - {0, 1, 2}, set()),
    "empty": (empty, set(), set()),
    "over": (over, keys(COUNT) - keys(5), keys(PEOPLE)),
    "json": (as_json, keys(COUNT) - keys(5), set()),
    "csv": (as_csv, keys(COUNT) - keys(5), set()),
}
"""For each program, the orders and the people that each of its rows derives from."""


@pytest.fixture
def tables(spark: SparkSession, tmp_path: Path) -> tuple[DataFrame, DataFrame]:
    """The orders, in two files, and the people."""
    (tmp_path / "orders").mkdir()
    for part, rows in enumerate((range(6), range(6, COUNT))):
        table = {"k": [*rows], "v": pa.array([GROUPS[k] for k in rows], pa.int32())}
        pq.write_table(pa.table(table), tmp_path / "orders" / f"{part}.parquet")
    pq.write_table(
        pa.table({"k": [*range(PEOPLE)], "name": ["ann", None, "bob"]}),
        tmp_path / "people.parquet",
    )
    read = spark.read.parquet
    return read(str(tmp_path / "orders")), read(str(tmp_path / "people.parquet"))


def written(spark: SparkSession, frame: Callable[[], DataFrame], folder: Path) -> Found:
    """Make and write a frame in a block, and return its rows with the rows they derive from."""
    with capturing(spark, folder / "taps", CaptureReports(), {}):
        frame().write.parquet(str(folder / "out"))
    (write,) = captured_writes(folder / "taps")
    return found_of(write)


def sources(found: Found, row: int) -> tuple[set[int], set[int]]:
    """Return the keys of the orders and of the people that a row derives from."""
    tables = {"orders": set[int](), "people": set[int]()}
    for table, files in found.witnesses(row).items():
        for path, rows in files.items():
            column = pq.read_table(path)["k"].to_pylist()
            tables[table] |= {column[at] for at in rows}
    return tables["orders"], tables["people"]


@pytest.mark.parametrize(
    "name", [pytest.param(each, marks=[pytest.mark.long] * (each != "simple")) for each in PROGRAMS]
)
def test_rows_of_an_rdd_derive_from_all_rows_of_their_frames(
    name: str, tables: tuple[DataFrame, DataFrame], spark: SparkSession, tmp_path: Path
) -> None:
    program, orders, people = PROGRAMS[name]
    found = written(spark, lambda: program(*tables), tmp_path)
    assert sorted(found.rows, key=str) == sorted(rows_of(program(*tables)), key=str)
    assert bool(found.rows) == (name != "empty")
    assert "rdd" in found.supersets
    assert all(sources(found, row) == (orders, people) for row in range(len(found.rows)))


@pytest.mark.long
def test_rows_beside_an_rdd_keep_their_own_lineage(
    tables: tuple[DataFrame, DataFrame], spark: SparkSession, tmp_path: Path
) -> None:
    found = written(spark, lambda: beside(*tables), tmp_path)
    assert len(found.rows) == PEOPLE - 1
    for number, row in enumerate(found.rows):
        assert sources(found, number) == ({row[0]}, keys(PEOPLE))


@pytest.mark.long
def test_rows_of_the_program_that_are_joined_keep_the_lineage_of_the_other_rows(
    tables: tuple[DataFrame, DataFrame], houses: Callable[..., House], tmp_path: Path
) -> None:
    house = houses()
    with (
        pytest.warns(UserWarning, match="rows of out went through an RDD"),
        house.capture(keys=dict.fromkeys(("orders", "people", "out"), "k")),
    ):
        ranged(*tables).write.parquet(str(tmp_path / "out"))
    expected = {k: {f"orders/{k}" for k in range(COUNT)} for k in range(COUNT)}
    expected |= {k + 100: {f"people/{k}" for k in range(PEOPLE)} for k in range(PEOPLE)}
    with house.open() as warehouse:
        for key, read in expected.items():
            items = {each.item for each in warehouse.lineage(f"out/{key}").items}
            assert {each for each in items if not each.startswith("range-")} == read


def of_the_program(orders: DataFrame, _: DataFrame) -> DataFrame:
    rows = orders.rdd.map(lambda row: (row.k,))
    return rows.union(orders.sparkSession.sparkContext.parallelize([(1,)])).toDF("k bigint")


def planned_before(orders: DataFrame, _: DataFrame) -> DataFrame:
    frame = orders.where("k > 1")
    frame.explain()  # so Spark has made the frame's plan before it passes the rows to an RDD
    return frame.rdd.map(lambda row: (row.k,)).toDF("k bigint")


def beside_people(orders: DataFrame, people: DataFrame) -> DataFrame:
    """Return rows of an RDD, joined with rows that none of Spark's RDDs shows."""
    frame = orders.rdd.map(lambda row: (row.k, row.v)).toDF("k bigint, v int")
    return frame.join(F.broadcast(people), "k")


def uncovered(orders: DataFrame, people: DataFrame) -> DataFrame:
    frame = beside_people(orders, planned_before(people, people))
    return frame.rdd.map(lambda row: (row.k, row.v)).toDF("k bigint, v int")


def planned_with_people(orders: DataFrame, people: DataFrame) -> DataFrame:
    frame = beside_people(orders, people)
    frame.collect()
    return frame.rdd.map(lambda row: (row.k, row.v)).toDF("k bigint, v int")


def in_scala(orders: DataFrame, people: DataFrame) -> DataFrame:
    return orders.sparkSession.read.json(beside_people(orders, people).toJSON())


def csv_in_scala(orders: DataFrame, people: DataFrame) -> DataFrame:
    return orders.sparkSession.read.csv(beside_people(orders, people).toJSON(), "k string")


def late(orders: DataFrame, people: DataFrame) -> DataFrame:
    return beside_people(orders, people).localCheckpoint(eager=False)


def late_range(orders: DataFrame, _: DataFrame) -> DataFrame:
    numbers = orders.sparkSession.range(COUNT)
    return numbers.join(F.broadcast(orders), F.col("id") == orders.k).localCheckpoint(eager=False)


def planned_range(orders: DataFrame, _: DataFrame) -> DataFrame:
    numbers = orders.sparkSession.range(COUNT)
    frame = numbers.join(F.broadcast(orders), F.col("id") == orders.k)
    frame.collect()
    return frame.rdd.map(lambda row: (row.k,)).toDF("k bigint")


UNKNOWN = [
    of_the_program,
    planned_before,
    uncovered,
    planned_with_people,
    in_scala,
    csv_in_scala,
    late,
    late_range,
    planned_range,
]


@pytest.mark.long
@pytest.mark.filterwarnings("ignore:The return type of DataFrame.toJSON")
@pytest.mark.parametrize("program", UNKNOWN)
def test_rows_of_an_unknown_rdd_are_refused(
    program: Program, tables: tuple[DataFrame, DataFrame], spark: SparkSession, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match="RDD that was not made from frames of the block alone"):
        written(spark, lambda: program(*tables), tmp_path)
    assert not (tmp_path / "out").exists()


@pytest.mark.long
@pytest.mark.parametrize("literal", [False, True])
def test_a_merge_reads_the_rows_of_all_its_sources(
    literal: bool,
    tables: tuple[DataFrame, DataFrame],
    houses: Callable[..., House],
    spark: SparkSession,
    tmp_path: Path,
) -> None:
    """Delta checkpoints the source, without running the checkpoint at once."""
    house, folder = houses(), tmp_path / "balance"
    with house.capture(keys={"orders": "k", "balance": "k"}):
        tables[0].write.format("delta").save(str(folder))
    read = ["balance"] if literal else ["balance", "orders", "people"]
    with warnings.catch_warnings(), house.capture(keys=dict.fromkeys(read, "k")):
        warnings.filterwarnings("ignore", "The rows of balance went through an RDD")
        made = spark.createDataFrame([(1, "a"), (2, "b")], "k bigint, name string")
        source = made if literal else beside_people(*tables)
        source.createOrReplaceTempView("source")
        spark.sql(
            f"MERGE INTO delta.`{folder}` t USING source s ON t.k = s.k "
            "WHEN MATCHED THEN UPDATE SET v = length(s.name)"
        )
    with house.open() as warehouse:
        items = {each.item for each in warehouse.lineage("balance/1").items}
    made_here = {each for each in items if each.startswith("literal-")}
    assert [each.partition("/")[2] for each in made_here] == ["0"] * literal
    joined = set() if literal else {f"orders/{k}" for k in range(COUNT)} | {"people/1"}
    assert items - made_here == {"balance/1@1", "orders/1"} | joined


@pytest.mark.long
def test_an_rdd_from_before_the_block_is_refused(
    tables: tuple[DataFrame, DataFrame], spark: SparkSession, tmp_path: Path
) -> None:
    frame = simple(*tables)
    with pytest.raises(UsageError, match="RDD that was not made from frames of the block alone"):
        written(spark, lambda: frame, tmp_path)


@pytest.mark.long
def test_answers_and_warnings_say_that_rows_went_through_an_rdd(
    tables: tuple[DataFrame, DataFrame], houses: Callable[..., House], tmp_path: Path
) -> None:
    house = houses()
    with (
        pytest.warns(UserWarning, match="rows of out went through an RDD"),
        house.capture(keys={"orders": "k", "out": "k"}) as run,
    ):
        simple(*tables).write.parquet(str(tmp_path / "out"))
    assert run.report
    assert run.report.writes[0].supersets == ("rdd of all rows",)
    with house.open() as warehouse:
        expected = {f"orders/{k}" for k in range(COUNT) if GROUPS[k] is not None}
        assert {each.item for each in warehouse.lineage("out/100").items} == expected
        assert [op.exactness for op in warehouse.ops() if op.op.startswith("out:")] == ["superset"]
        (columns,) = warehouse.lineage("out/100.v").columns
        assert {*columns.values} == {"k", "v"}
