"""Questions find the source columns from which a column of a captured write was computed."""

import json
import random
import re
from collections import Counter
from collections.abc import Callable
from importlib.resources import files
from io import StringIO
from pathlib import Path

import jsonschema
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from helpers.random_programs import Values, program, tables
from helpers.warehouse import House
from helpers.witnesses import query, read, rows_of
from provhouse.capturing.jvm_rules import CaptureReports, capturing
from provhouse.capturing.reading.finished import captured_writes
from provhouse.model.answer import Answer, Influence
from provhouse.model.errors import NotFound
from provhouse.output.form import Form
from provhouse.output.results.answer_view import AnswerResult
from provhouse.output.writer import writer_of

FLIGHTS = {"id": [1, 2, 3], "line": ["AA", "AA", "BB"], "dep": [5, 7, 9], "due": [4, 4, 4],
           "gone": [1, 1, 1]}  # fmt: skip
LINES = {"code": ["AA", "BB"], "name": ["Able", "Bolt"], "rank": [1, 2]}
KEYS = {"flights": "id", "lines": "code", "delays": "id", "report": "line"}


@pytest.fixture
def house(houses: Callable[..., House], spark: SparkSession, tmp_path: Path) -> House:
    """A warehouse with two captured jobs, for delays of flights and for a report on lines."""
    made = houses()
    for name, columns in (("flights", FLIGHTS), ("lines", LINES)):
        pq.write_table(pa.table(columns), tmp_path / f"{name}.parquet")
    with made.capture(keys={"flights": "id", "delays": "id"}):
        flights = spark.read.parquet(str(tmp_path / "flights.parquet"))
        delays = flights.where("gone = 1").selectExpr("id", "line", "dep - due AS delay")
        delays.write.parquet(str(tmp_path / "delays"))
    with made.capture(keys={"lines": "code", "report": "line"}):
        delays = spark.read.parquet(str(tmp_path / "delays")).cache()
        delays.createOrReplaceTempView("delays")
        spark.read.parquet(str(tmp_path / "lines.parquet")).createOrReplaceTempView("lines")
        spark.sql(
            "SELECT line, any_value(name) AS name, avg(delay) AS mean, count(*) AS n"
            " FROM delays JOIN lines ON line = code WHERE rank < 3 GROUP BY line"
        ).write.parquet(str(tmp_path / "report"))
        delays.unpersist()
    return made


Found = dict[str, tuple[str, set[str], dict[str, set[str]]]]


def found(house: House, question: str) -> Found:
    """Return each table's role, its value columns, and the roles of its influencing columns."""
    with house.open() as warehouse:
        answer = warehouse.lineage(question)
    return {
        each.table: (
            each.role,
            set(each.values),
            {one.column: set(one.roles) for one in each.influence},
        )
        for each in answer.columns
    }


@pytest.mark.long
def test_a_column_is_followed_through_two_jobs(house: House) -> None:
    delays = {"line": {"filter", "group", "join"}}
    flights = {"line": {"filter", "group", "join"}, "gone": {"filter"}}
    lines = {"code": {"filter", "join"}, "rank": {"filter"}}
    mean = found(house, "report/AA.mean")
    assert mean == {
        "delays": ("value", {"delay"}, delays),
        "flights": ("value", {"dep", "due"}, flights),
        "lines": ("influence", set(), lines),
    }
    assert found(house, "report/AA.name") == {
        "delays": ("influence", set(), delays),
        "flights": ("influence", set(), flights),
        "lines": ("value", {"name"}, lines),
    }
    assert {role for role, _, _ in found(house, "report/AA.n").values()} == {"influence"}
    with house.open() as warehouse:
        row, column = warehouse.lineage("report/AA"), warehouse.lineage("report/AA.mean")
        assert column.items == row.items
        assert (row.column, row.columns, column.item) == (None, (), "report/AA")
        check_forms(column._found)
        assert column.columns[1].influence[0] == Influence("code", ("filter", "join"))
        summary = warehouse.lineage("report/AA.mean", summary=True)
        assert {each.table: each.role for each in summary.columns} == {
            name: role for name, (role, _, _) in mean.items()
        }
        with pytest.raises(NotFound, match="no column 'delay'"):
            warehouse.lineage("report/AA.delay")
        with pytest.raises(NotFound, match=r"'report/XX\.mean' is not in"):
            warehouse.lineage("report/XX.mean")


def check_forms(answer: Answer) -> None:
    """Check the JSON of an answer against its schema, and check the answer's text."""
    text, structured = StringIO(), StringIO()
    writer_of(Form.json, structured, width=200).write(AnswerResult(answer))
    schema = json.loads((files("provhouse.output") / "schemas" / "answer.json").read_text())
    value = json.loads(structured.getvalue())
    jsonschema.validate(value, schema)
    assert value["column"] == "mean"
    assert {each["table"]: each["role"] for each in value["columns"]}["lines"] == "influence"
    writer_of(Form.table, text, width=200).write(AnswerResult(answer))
    assert "The column mean is made from values of delays, flights." in text.getvalue()
    assert re.search(r"flights +2 +dep, due +gone \(filter\)", text.getvalue())


PROGRAMS = 15


@pytest.mark.long
@pytest.mark.parametrize("seed", range(PROGRAMS))
def test_a_column_that_changes_a_result_is_among_its_columns(
    seed: int, spark: SparkSession, tmp_path: Path
) -> None:
    """If a column is not in the answer, changing its values does not change the result."""
    rng = random.Random(seed)
    held = tables(rng)
    text = program(rng, held, 4).sql
    write(held, tmp_path / "tables")
    frame = query(text)(read(spark, tmp_path / "tables"))
    with capturing(spark, tmp_path / "taps", CaptureReports(), {}):
        frame.write.parquet(str(tmp_path / "out"))
    (done,) = captured_writes(tmp_path / "taps")
    before = rows_of(frame)
    for table in held:
        for at, name in enumerate("xy"):
            other = {**held, table: [changed(row, at, rng) for row in held[table]]}
            write(other, tmp_path / f"{table}-{name}")
            after = rows_of(query(text)(read(spark, tmp_path / f"{table}-{name}")))
            for place, column in enumerate("xy"):
                made = [*done.columns.values[column]]
                made += [(t, c) for t, c, _ in done.columns.influences(column)]
                if Counter(row[place] for row in before) != Counter(row[place] for row in after):
                    assert (table, name) in made, f"seed {seed}: {text}"


def changed(row: Values, at: int, rng: random.Random) -> Values:
    """Return a copy of a row with another value in one column."""
    return (rng.choice([None, 0, 1, 2, 3]), row[1]) if at == 0 else (row[0], rng.choice("abcd"))


def write(held: dict[str, list[Values]], folder: Path) -> None:
    """Write tables as Parquet files."""
    for name, rows in held.items():
        (folder / name).mkdir(parents=True)
        schema = pa.schema([("x", pa.int32()), ("y", pa.string())])
        pq.write_table(pa.table(list(zip(*rows, strict=True)), schema), folder / name / "0.parquet")
