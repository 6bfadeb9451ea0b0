"""``provhouse blame`` finds the records to blame, given a condition or a failed dbt test."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from pyspark.sql import SparkSession

from helpers.warehouse import House
from provhouse.cli.app import run
from provhouse.output import writer
from provhouse.store.warehouse.reports import read_reports

SCHEMA = Path(writer.__file__).with_name("schemas") / "blame.json"
REPORT = (
    "SELECT nation, avg(price) AS mean, min(rate) AS rate FROM orders JOIN nations USING (nation) "
    "GROUP BY nation"
)
KEYS = {"orders": "id", "nations": "nation", "report": "nation"}
RELATIONS = {"orders": '"db"."raw"."orders"', "nations": '"db"."raw"."nations"'}


@pytest.fixture(scope="module")
def house(
    houses: Callable[..., House], spark: SparkSession, tmp_path_factory: pytest.TempPathFactory
) -> House:
    """A warehouse with a report that has a mean of 1,675 and a rate that is NULL."""
    folder, made = tmp_path_factory.mktemp("blame"), houses()
    orders = [(n, n % 3, 5000.0 if n == 7 else 10.0 + n) for n in range(9)]
    nations = [(0, 1.0), (1, 1.5), (2, None)]
    for name, rows, columns in (
        ("orders", orders, "id int, nation int, price double"),
        ("nations", nations, "nation int, rate double"),
    ):
        spark.createDataFrame(rows, columns).coalesce(1).write.parquet(str(folder / name))
        spark.read.parquet(str(folder / name)).createOrReplaceTempView(name)
    with made.capture(keys=KEYS):
        spark.sql(REPORT).write.parquet(str(folder / "report"))
    return made


def blame(house: House, *arguments: str) -> int:
    settings = house.settings
    home = f"neo4j_home={settings.neo4j_home}"
    first = ["--warehouse", str(settings.warehouse), "--set", home, "--set", "idle_minutes=0"]
    return run([*first, "blame", *arguments])


def found(capsys: pytest.CaptureFixture[str]) -> Mapping[str, Any]:
    result = json.loads(capsys.readouterr().out)
    jsonschema.validate(result, json.loads(SCHEMA.read_text(encoding="utf-8")))
    assert isinstance(result, dict)
    return result


def items(tables: list[dict[str, Any]]) -> set[str]:
    return {record["item"] for table in tables for record in table["records"]}


def kept(house: House, fault: str) -> dict[str, Any]:
    """Return the newest report that the warehouse keeps; it must be about the given fault."""
    report = read_reports(house.layout, "blame")[0]
    assert report["fault"] == fault
    return report


@pytest.mark.parametrize("smallest", [False, pytest.param(True, marks=pytest.mark.long)])
def test_a_condition_leads_to_the_rows_their_lineage_and_the_records_to_blame(
    house: House, tmp_path: Path, capsys: pytest.CaptureFixture[str], smallest: bool
) -> None:
    program = tmp_path / "report.sql"
    program.write_text(REPORT, encoding="utf-8")
    given = ("report", "--where", "mean > 100")
    assert blame(house, *given, *(("--program", str(program)) if smallest else ())) == 0
    result = found(capsys)
    assert [row["values"]["nation"] for row in result["rows"]] == [1]
    assert items(result["lineage"]) == {"nations/1", *(f"orders/{n}" for n in range(1, 9, 3))}
    report = kept(house, "mean > 100")
    assert (report["table"], report["rows"]) == ("report", result["rows"])
    assert items(report["blamed"]) == items(result["smallest" if smallest else "lineage"])
    if not smallest:
        return
    assert items(result["smallest"]) == {"orders/7", "nations/1"}
    assert result["runs"] <= 10


@pytest.mark.long
def test_a_table_shows_the_lineage_of_wrong_rows_and_no_row_may_be_wrong(
    house: House, capsys: pytest.CaptureFixture[str]
) -> None:
    given = ("report", "--where", "mean > 100")
    assert blame(house, *given, "--format", "table") == 0
    shown = capsys.readouterr().out
    assert "report: 1 wrong row" in shown
    assert "orders/7" in shown
    assert blame(house, "report", "--where", "mean < 0") == 0
    assert found(capsys)["rows"] == []
    assert kept(house, "mean > 100")["rows"]  # the report without wrong rows is not kept


@pytest.mark.long
def test_a_function_of_the_tables_is_a_program(
    house: House, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program = tmp_path / "job.py"
    program.write_text(
        "def report(tables):\n"
        "    both = tables['orders'].join(tables['nations'], 'nation')\n"
        "    return both.groupBy('nation').agg({'rate': 'min'}).toDF('nation', 'rate')\n",
        encoding="utf-8",
    )
    given = ("report", "--where", "rate IS NULL", "--program", f"{program}:report")
    assert blame(house, *given) == 0
    result = found(capsys)
    smallest = items(result["smallest"])
    assert "nations/2" in smallest
    assert len(smallest) == 2


def written_by_dbt(folder: Path, test: str, column: str | None, status: str = "fail") -> Path:
    """Write the files that a dbt run with one test would leave."""
    nodes = {
        "model.shop.report": {
            "name": "report",
            "alias": "report",
            "relation_name": '"db"."main"."report"',
            "compiled_code": REPORT.replace("orders", RELATIONS["orders"])
            .replace("nations", RELATIONS["nations"])
            .replace("JOIN", "JOIN"),
        },
        "test.shop.one": {
            "name": "one",
            "column_name": column,
            "attached_node": "model.shop.report",
            "depends_on": {"nodes": ["model.shop.report"]},
            "compiled_code": test,
        },
    }
    sources = {
        f"source.shop.raw.{name}": {"name": name, "identifier": name, "relation_name": relation}
        for name, relation in RELATIONS.items()
    }
    results = {"results": [{"unique_id": "test.shop.one", "status": status}]}
    schema = "https://schemas.getdbt.com/dbt/manifest/v12.json"
    metadata = {"dbt_schema_version": schema, "adapter_type": "spark"}
    manifest = {"metadata": metadata, "nodes": nodes, "sources": sources}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    path = folder / "run_results.json"
    path.write_text(json.dumps(results))
    return path


@pytest.mark.long
def test_a_failed_test_of_dbt_is_enough(
    house: House, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    not_null = 'select rate from "db"."main"."report" where rate is null'
    assert blame(house, "--dbt", str(written_by_dbt(tmp_path, not_null, "rate"))) == 0
    result = found(capsys)
    assert [row["item"].split("@")[0] for row in result["rows"]] == ["report/2"]
    assert "nations/2" in items(result["smallest"])
    assert len(items(result["smallest"])) == 2
    assert items(kept(house, "a test of dbt")["blamed"]) == items(result["smallest"])

    accepted = (
        'select mean as value_field, count(*) as n_records from "db"."main"."report" '
        "group by mean having mean > 100"
    )
    assert blame(house, "--dbt", str(written_by_dbt(tmp_path, accepted, "mean"))) == 0
    assert items(found(capsys)["smallest"]) == {"orders/7", "nations/1"}


@pytest.mark.long
def test_what_cannot_be_blamed_is_an_error_with_a_remedy(
    house: House, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program = tmp_path / "report.sql"
    program.write_text("SELECT nation, 1 AS mean FROM orders", encoding="utf-8")
    passed = written_by_dbt(tmp_path, "select 1", None, "pass")
    cases = {
        ("report",): "not clear which rows are wrong",
        ("nowhere", "--where", "a > 1"): "No captured job wrote the table nowhere",
        ("report", "--where", "nothing > 1"): "Cannot find the wrong rows of report",
        ("report", "--where", "mean > 100", "--program", str(program)): "is not wrong",
        ("report", "--where", "mean > 100", "--program", "a.py:f"): "cannot be loaded",
        ("--dbt", str(passed)): "No test of a model has failed",
        ("--dbt", str(tmp_path / "no.json")): "Cannot read",
    }
    for given, expected in cases.items():
        assert blame(house, *given) in (2, 3, 4), given
        assert expected in capsys.readouterr().err, given


@pytest.mark.long
def test_messages_in_json_are_lineage_by_their_keys_without_records(
    house: House, spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    events = tmp_path / "events"
    events.mkdir()
    messages = [{"id": n, "user": {"name": f"u{n % 2}"}, "ms": 900 * (n == 3)} for n in range(6)]
    (events / "part.json").write_text("\n".join(map(json.dumps, messages)), encoding="utf-8")
    rows = spark.read.json(str(events), schema="id int, user struct<name: string>, ms int")
    rows.createOrReplaceTempView("events")
    query = "SELECT user.name, max(ms) AS ms FROM events GROUP BY user.name"
    with house.capture(keys={"events": "id", "slow": "name"}):
        spark.sql(query).write.parquet(str(tmp_path / "slow"))
    given = ("slow", "--where", "ms > 100")
    assert blame(house, *given) == 0
    result = found(capsys)
    assert [row["values"] for row in result["rows"]] == [{"name": "u1", "ms": 900}]
    (lineage,) = result["lineage"]
    assert sorted(lineage["missing"]) == ["events/1", "events/3", "events/5"]

    program = tmp_path / "slow.sql"
    program.write_text(query, encoding="utf-8")
    assert blame(house, *given, "--program", str(program)) == 4
    assert "3 records of events are in no readable Parquet file" in capsys.readouterr().err


@pytest.mark.long
def test_a_program_needs_only_the_records_of_the_tables_that_it_reads(
    house: House, spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The stays derive from rows of the program, which are in no file."""
    query = "SELECT guest, sum(nights) AS nights FROM stays GROUP BY guest"
    with house.capture(keys={"stays": "id", "guests": "guest"}):
        rows = spark.createDataFrame(
            [(1, "ann", 2), (2, "ann", 900)], "id int, guest string, nights int"
        )
        rows.write.parquet(str(tmp_path / "stays"))
        spark.read.parquet(str(tmp_path / "stays")).createOrReplaceTempView("stays")
        spark.sql(query).write.parquet(str(tmp_path / "guests"))
    program = tmp_path / "guests.sql"
    program.write_text(query, encoding="utf-8")
    assert blame(house, "guests", "--where", "nights > 100", "--program", str(program)) == 0
    result = found(capsys)
    assert [len(table["missing"]) for table in result["lineage"]] == [0, 2]
    assert {item.partition("@")[0] for item in items(result["smallest"])} == {"stays/2"}
