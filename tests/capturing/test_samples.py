"""With sampled lineage, an answer that reaches rows without lineage is never shown as complete."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from importlib.resources import files
from io import StringIO
from pathlib import Path

import jsonschema
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from helpers.warehouse import House
from provhouse.capturing.reading.sampled import in_sample
from provhouse.care.rollback import rollback
from provhouse.ingest.imported import import_
from provhouse.model.errors import BadInput, NotFound, UsageError
from provhouse.model.progress import Silent
from provhouse.output.form import Form
from provhouse.output.writer import writer_of
from provhouse.query.exporting.export import export_warehouse
from provhouse.results import Shown

ROWS, GROUPS, PART = 20, 4, 0.5
READ = 12
"""The largest key that a later job reads."""
KEYS = {"orders": "id", "balance": "id"}


@dataclass(frozen=True)
class Nights:
    """A warehouse with a complete and a sampled write of ``balance``, and sums of the sample."""

    house: House
    first: int
    """The version of the write with complete lineage."""
    second: int
    """The version of the write with sampled lineage."""
    chosen: frozenset[int]
    """The keys of the rows in the sample."""


@pytest.fixture(scope="module")
def nights(
    houses: Callable[..., House], spark: SparkSession, tmp_path_factory: pytest.TempPathFactory
) -> Nights:
    """Write ``balance`` completely, then as a sample; write another table from the sample."""
    house, folder = houses(), tmp_path_factory.mktemp("nights")
    pq.write_table(pa.table({"id": range(1, ROWS + 1)}), folder / "orders.parquet")
    orders = spark.read.parquet(str(folder / "orders.parquet"))
    versions = []
    for sample in (None, PART):
        with house.capture(keys=KEYS, sample=sample) as run:
            rows = orders.selectExpr("id", f"concat('g', id % {GROUPS}) AS name")
            rows.coalesce(1).write.mode("overwrite").parquet(str(folder / "balance"))
        assert run.report
        (write,) = run.report.writes
        assert write.sample == (sample or 1.0)
        versions.append(write.version)
    (file,) = (folder / "balance").glob("*.parquet")
    keys = pq.read_table(file)["id"].to_numpy()
    chosen = frozenset([*keys[in_sample(0, ROWS, PART)].tolist(), int(keys[0])])
    assert ROWS // 4 < len(chosen) < 3 * ROWS // 4
    with house.capture(keys={"balance": "id", "sums": "name"}):
        balance = spark.read.parquet(str(folder / "balance"))
        balance.where(f"id <= {READ}").groupBy("name").count().write.parquet(str(folder / "sums"))
    return Nights(house, versions[0], versions[1], chosen)


def checked(result: Shown, schema: str) -> dict[str, object]:
    """Return the JSON of a result; fail if the JSON does not match the schema."""
    out = StringIO()
    writer_of(Form.json, out).write(result._result())
    found = json.loads(out.getvalue())
    text = files("provhouse.output").joinpath("schemas", f"{schema}.json").read_text()
    jsonschema.validate(found, json.loads(text))
    assert isinstance(found, dict)
    return found


def printed(result: Shown) -> str:
    """Return, as one line, the text that a command prints for a result."""
    out = StringIO()
    writer_of(Form.table, out).write(result._result())
    return " ".join(out.getvalue().split())


@pytest.mark.long
def test_a_row_has_its_lineage_or_is_not_known(nights: Nights) -> None:
    with nights.house.open() as warehouse:
        for key in range(1, ROWS + 1):
            name = f"balance/{key}"
            if key in nights.chosen:
                answer = warehouse.lineage(name)
                assert answer.versions == (f"{name}@{nights.second}",)
                assert {each.item for each in answer.items} == {f"orders/{key}"}
                assert not answer.complete
                assert [(each.table, each.part) for each in answer.samples] == [("balance", PART)]
            elif key <= READ:  # the row is an item, because it is a source of the later job
                answer = warehouse.lineage(name)
                assert answer.versions == (f"{name}@{nights.second}",)
                assert not answer.items
                assert not answer.complete
                assert "nothing upstream that is known" in printed(answer)
            else:
                with pytest.raises(NotFound, match="newest version") as error:
                    warehouse.lineage(name)
                assert f"50% of the rows of balance@{nights.second}" in error.value.found
                assert f"'{name}@{nights.first}'" in error.value.remedy
            every = warehouse.lineage(name, all_versions=True)
            assert {each.item for each in every.items} == {f"orders/{key}"}
            before = warehouse.lineage(f"{name}@{nights.first}")
            assert {each.item for each in before.items} == {f"orders/{key}"}
        with pytest.raises(NotFound) as error:
            warehouse.lineage("balance/none")
        assert "sample" in error.value.found
        assert warehouse.lineage("orders/1").complete


@pytest.mark.long
def test_impact_says_that_rows_may_be_missing(nights: Nights) -> None:
    with nights.house.open() as warehouse:
        for key in range(1, ROWS + 1):
            answer = warehouse.impact(f"orders/{key}")
            reached = {each.item for each in answer.items}
            assert (f"balance/{key}@{nights.second}" in reached) == (key in nights.chosen)
            assert not answer.complete
            assert [each.version for each in answer.samples] == [nights.second]
        assert warehouse.impact("sums/g1").complete


@pytest.mark.long
def test_what_derives_from_rows_without_lineage_is_partial(nights: Nights) -> None:
    with nights.house.open() as warehouse:
        for group in range(GROUPS):
            answer = warehouse.lineage(f"sums/g{group}")
            keys = set(range(group or GROUPS, READ + 1, GROUPS))
            found = {each.item for each in answer.items}
            assert found == {f"balance/{key}@{nights.second}" for key in keys} | {
                f"orders/{key}" for key in keys & nights.chosen
            }
            assert not answer.complete


@pytest.mark.long
def test_all_answers_say_that_they_are_partial(nights: Nights) -> None:
    chosen, *_ = sorted(nights.chosen)
    other, *_ = sorted({*range(1, READ + 1)} - nights.chosen)
    group = f"sums/g{chosen % GROUPS}"
    assert chosen <= READ
    with nights.house.open() as warehouse:
        results: list[tuple[str, Shown]] = [
            ("answer", warehouse.lineage(group)),
            ("answer", warehouse.lineage(group, summary=True)),
            ("path", warehouse.path(f"orders/{chosen}", group)),
            ("why", warehouse.why(group)),
            ("depends", warehouse.depends(group, f"orders/{chosen}")),
            ("what-if", warehouse.what_if(f"orders/{chosen}")),
            ("what-if-each", warehouse.what_if_each(group)),
            ("evaluate", warehouse.evaluate(group, "count", {})),
            ("subgraph", warehouse.subgraph(group)),
            ("zoom", warehouse.zoom(group, level="table")),
            ("zoom-path", warehouse.zoom_path(f"orders/{chosen}", group, level="table")),
            ("zoom-what-if", warehouse.zoom_what_if(f"orders/{chosen}", level="table")),
        ]
        for schema, result in results:
            found = checked(result, schema)
            assert found["complete"] is False, schema
            assert found["samples"] == [
                {"table": "balance", "version": nights.second, "part": PART}
            ], schema
            assert "50% of the rows of balance@" in printed(result), schema
        compared: list[tuple[str, Shown]] = [
            ("diff", warehouse.diff(group, since=1)),
            ("zoom-diff", warehouse.zoom_diff(group, since=1, level="table")),
            ("why-changed", warehouse.why_changed(group, since=1)),
        ]
        for schema, result in compared:
            assert checked(result, schema)["to"]["samples"], schema  # type: ignore[index]
            assert "50% of the rows of balance@" in printed(result), schema
        with pytest.raises(NotFound) as error:
            warehouse.path(f"orders/{other}", f"sums/g{other % GROUPS}")
        assert "50% of the rows of balance@" in error.value.found


def test_an_export_of_samples_is_not_imported(
    nights: Nights, houses: Callable[..., House], tmp_path: Path
) -> None:
    export_warehouse(nights.house.layout, tmp_path / "export", Silent())
    manifest = json.loads((tmp_path / "export" / "manifest.json").read_text())
    assert [each["version"] for each in manifest["samples"]] == [nights.second]
    with pytest.raises(BadInput, match="cannot be imported"):
        import_(tmp_path / "export", houses().settings, Silent())


def test_what_cannot_be_a_sample_is_refused(
    houses: Callable[..., House], spark: SparkSession, tmp_path: Path
) -> None:
    house = houses()
    for wrong in (0, 1.5, -1, float("nan")):
        with (
            pytest.raises(UsageError, match="sample is not a fraction of the rows"),
            house.capture(sample=wrong),
        ):
            pytest.fail("the block began")
    pq.write_table(pa.table({"id": [1, 2, 3]}), tmp_path / "orders.parquet")
    orders = spark.read.parquet(str(tmp_path / "orders.parquet"))
    with pytest.raises(UsageError, match="No sample"), house.capture(keys=KEYS, sample=0.1):
        orders.write.csv(str(tmp_path / "balance"))
    assert not (tmp_path / "balance").exists()


def test_a_sample_has_about_its_part_of_the_rows_whatever_the_pieces() -> None:
    whole = in_sample(0, 100_000, 0.01)
    assert 900 < whole.sum() < 1_100
    pieces = [in_sample(first, 1_000, 0.01) for first in range(0, 100_000, 1_000)]
    assert [*whole] == [each for piece in pieces for each in piece]


@pytest.mark.long
def test_a_rollback_hides_a_sample(nights: Nights) -> None:
    """This test must be the last one, because it changes the warehouse that all tests share."""
    key = next(key for key in range(READ + 1, ROWS) if key not in nights.chosen)
    with nights.house.open() as warehouse, pytest.raises(NotFound, match="newest version"):
        warehouse.lineage(f"balance/{key}")
    for _ in range(2):  # the sums, then the sample
        rollback(nights.house.settings, Silent())
    with nights.house.open() as warehouse:
        answer = warehouse.lineage(f"balance/{key}")
    assert answer.versions == (f"balance/{key}@{nights.first}",)
    assert answer.complete
    assert answer.samples == ()
