"""Operators and writes without a rule are refused before Spark writes; the error names them."""

from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.window import Window

from helpers.foreign_source import source_jar
from helpers.shop import write_shop
from helpers.warehouse import House
from provhouse.model.errors import UsageError
from provhouse.runtime.spark.pyspark_internals import java_session

Write = Callable[[DataFrame, Path], None]


def parquet(frame: DataFrame, out: Path) -> None:
    frame.write.parquet(str(out))


def twice_at_random(orders: DataFrame) -> DataFrame:
    """Return a self-join of rows that are drawn at random once."""
    orders.createOrReplaceTempView("captured_orders")
    return orders.sparkSession.sql(
        "WITH drawn AS (SELECT id FROM captured_orders WHERE rand() < 0.5)"
        " SELECT a.id FROM drawn a JOIN drawn b ON a.id = b.id + 1"
    )


def folded(name: str) -> Column:
    """Return a struct with a string that is compared regardless of case."""
    return F.struct(F.expr(f"{name} COLLATE UTF8_LCASE"))


OPERATORS: dict[str, Callable[[DataFrame, DataFrame], DataFrame]] = {
    "left semi join": lambda orders, customers: orders.join(
        customers, folded("cust") == folded("name"), "semi"
    ),
    "Window": lambda orders, _: orders.withColumn(
        "n", F.count("*").over(Window.partitionBy(folded("cust")))
    ),
    "Aggregate": lambda orders, _: orders.groupBy(folded("cust")).count(),
    "WITH": lambda orders, _: twice_at_random(orders),
}
WRITES: dict[str, Write] = {
    "(replaceWhere) by id": lambda frame, out: (
        frame.write.format("delta").option("replaceWhere", "id < 9").save(str(out))
    ),
    "partition by a time": lambda frame, out: (
        frame.withColumn("t", F.lit("2026-01-01").cast("timestamp"))
        .write.format("delta")
        .partitionBy("t")
        .save(str(out))
    ),
    "optimizeWrite": lambda frame, out: (
        frame.write.format("delta").option("optimizeWrite", "true").save(str(out))
    ),
    "writes none as jdbc": lambda frame, _: (
        frame.write.format("jdbc").options(url="jdbc:none", dbtable="none").save()
    ),
}


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the tables of a shop."""
    folder = tmp_path_factory.mktemp("shop")
    write_shop(folder)
    return folder


@pytest.fixture(scope="module")
def house(houses: Callable[..., House]) -> House:
    """A warehouse that remains empty, because all writes are refused."""
    return houses()


def refused(house: House, shop: Path, out: Path, frame: DataFrame, write: Write) -> UsageError:
    """Return the error of a write in a block; fail if anything was written."""
    with pytest.raises(UsageError) as error, house.capture(run="refused"):
        write(frame, out)
    assert not out.exists()
    assert not house.layout.commits.exists()
    assert not any(house.layout.captured.iterdir())
    return error.value


def params(names: Iterable[str], daily: Iterable[str]) -> list[ParameterSet]:
    """Return names as pytest parameters; names that are not in ``daily`` are marked as long."""
    return [pytest.param(name, marks=[] if name in daily else pytest.mark.long) for name in names]


@pytest.mark.parametrize("name", params(OPERATORS, ("Window", "left semi join")))
def test_an_operator_without_a_rule_is_refused(
    name: str, house: House, shop: Path, spark: SparkSession, tmp_path: Path
) -> None:
    tables = (spark.read.parquet(str(shop / table)) for table in ("orders", "customers"))
    error = refused(house, shop, tmp_path / "out", OPERATORS[name](*tables), parquet)
    assert name.lower() in error.wanted.lower()


@pytest.mark.parametrize("name", params(WRITES, ("writes none as jdbc", "(replaceWhere) by id")))
def test_a_write_without_a_rule_is_refused(
    name: str, house: House, shop: Path, spark: SparkSession, tmp_path: Path
) -> None:
    frame = spark.read.parquet(str(shop / "orders"))
    error = refused(house, shop, tmp_path / "out", frame, WRITES[name])
    assert name.lower() in str(error).lower()


@pytest.mark.long
def test_another_data_source_is_refused_by_its_name(
    house: House, shop: Path, spark: SparkSession, tmp_path: Path
) -> None:
    """The writes of Hudi are commands of this kind. Its real jar is not needed to refuse them."""
    spark.sql(f"ADD JAR '{source_jar('hudi', tmp_path)}'")
    frame = spark.read.parquet(str(shop / "orders"))

    def write(rows: DataFrame, out: Path) -> None:
        rows.write.format("hudi").mode("overwrite").save(str(out))

    with pytest.raises(Exception, match="It writes"):
        write(frame, tmp_path / "out")  # so without a refusal, the source is called
    assert refused(house, shop, tmp_path / "out", frame, write).found.startswith(
        "It writes as hudi. Only writes of files"
    )


@pytest.mark.long
@pytest.mark.parametrize("option", [{"mode": "DROPMALFORMED"}, {"comment": "#"}])
def test_a_source_whose_records_have_no_fixed_positions_is_refused(
    option: dict[str, str], house: House, shop: Path, spark: SparkSession, tmp_path: Path
) -> None:
    file = tmp_path / "orders.csv"
    file.write_text("id\n1\n")
    frame = spark.read.options(**option).csv(str(file), header=True)
    assert next(iter(option)) in refused(house, shop, tmp_path / "out", frame, parquet).found


def test_a_block_inside_of_a_block_is_refused(house: House) -> None:
    with (
        pytest.raises(UsageError, match="captured already"),
        house.capture(),
        house.capture(),
    ):
        pass


@pytest.mark.long
def test_after_a_refusal_spark_writes_as_before(
    house: House, shop: Path, spark: SparkSession, tmp_path: Path
) -> None:
    frame = spark.read.parquet(str(shop / "orders"))
    with pytest.raises(UsageError), house.capture():
        frame.groupBy(folded("cust")).count().write.parquet(str(tmp_path / "out"))
    frame.groupBy(folded("cust")).count().write.parquet(str(tmp_path / "out"))
    assert not any(house.layout.captured.iterdir())


def test_a_query_that_fails_is_no_error_of_the_listener(house: House, spark: SparkSession) -> None:
    """If the listener failed, Spark would log a stack trace in addition to the query's error."""
    _, classic = java_session(spark)
    state = classic.sessionState()
    plan = state.sqlParser().parsePlan("SELECT nothing FROM nowhere")
    modes = spark._jvm.org.apache.spark.sql.execution.CommandExecutionMode  # type: ignore[union-attr]
    failed = state.executePlan(plan, modes.ALL())
    with house.capture() as run:
        run._captured.rules.onFailure("save", failed, None)


def test_rows_of_a_checkpoint_are_refused(
    house: House, shop: Path, spark: SparkSession, tmp_path: Path
) -> None:
    frame = spark.read.parquet(str(shop / "orders")).localCheckpoint()
    error = refused(house, shop, tmp_path / "out", frame, parquet)
    assert "checkpoint" in error.found
    assert "Store these rows" in error.remedy


@pytest.mark.long
def test_a_stream_is_refused(house: House, shop: Path, spark: SparkSession, tmp_path: Path) -> None:
    orders = spark.read.parquet(str(shop / "orders"))
    stream = spark.readStream.schema(orders.schema).parquet(str(shop / "orders"))
    writer = stream.writeStream.format("parquet").trigger(availableNow=True)
    writer = writer.option("checkpointLocation", str(tmp_path / "checkpoint"))
    with pytest.raises(UsageError, match="to FileStreamSink"), house.capture(run="stream"):
        writer.start(str(tmp_path / "out")).awaitTermination()
    assert not [*tmp_path.glob("out/*.parquet")]


DELTA = {
    "OPTIMIZE": "OPTIMIZE {table}",
    "VACUUM": "VACUUM {table} RETAIN 200 HOURS",
    "RESTORE": "RESTORE TABLE {table} TO VERSION AS OF 0",
}


@pytest.mark.long
def test_commands_that_change_a_delta_table_are_refused(
    house: House, shop: Path, spark: SparkSession, tmp_path: Path
) -> None:
    path = str(tmp_path / "table")
    orders = spark.read.parquet(str(shop / "orders")).select("id")
    orders.write.format("delta").save(path)
    orders.where("id < 3").write.format("delta").mode("append").save(path)
    before = sorted(tmp_path.rglob("*.*"))
    with house.capture():
        for name, statement in DELTA.items():
            with pytest.raises(Exception, match="cannot be captured"):
                spark.sql(statement.format(table=f"delta.`{path}`")).collect()
            assert sorted(tmp_path.rglob("*.*")) == before, name
    assert not house.layout.commits.exists()
