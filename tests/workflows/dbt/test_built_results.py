"""The models that dbt has built become a revision; results are stored only if certain."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb
import pytest

from helpers.dbt_edits import BASE, base_manifest, with_sql, write_target
from helpers.dbt_runs import DbtProject, install_dbt
from helpers.dbt_shop import DBT, SHOP
from provhouse.cli.app import run
from provhouse.model.errors import Unavailable
from provhouse.model.progress import Silent
from provhouse.model.settings import Settings
from provhouse.store.warehouse.layout import Layout
from provhouse.workflows.changed_settings import may_change_rows
from provhouse.workflows.dbt.built_results import register_built
from provhouse.workflows.dbt.project import project
from provhouse.workflows.executions import RegisteredJob, ended_executions
from provhouse.workflows.listed import list_results
from provhouse.workflows.result_files import result_path
from provhouse.workflows.reuse import reuse

SEEDS = ("raw_customers", "raw_orders", "countries")
TABLES = ("orders_by_customer", "revenue_by_country", "top")
VIEWS = ("stg_customers", "stg_orders")


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """A database with a part of the shop, as dbt builds it."""
    path = tmp_path / "shop.duckdb"
    catalog = json.loads((BASE / "catalog.json").read_text(encoding="utf-8"))["nodes"]
    nodes = base_manifest()["nodes"]
    with duckdb.connect(path) as con:
        for seed in SEEDS:
            columns = catalog[f"seed.shop.{seed}"]["columns"].values()
            listed = ", ".join(f"{each['name']} {each['type']}" for each in columns)
            con.execute(f"create table {seed}({listed})")
            con.execute(f"insert into {seed} by name from read_csv('{SHOP}/seeds/{seed}.csv')")
        for model in (*VIEWS, *TABLES):
            kind = "view" if model in VIEWS else "table"
            code = nodes[f"model.shop.{model}"]["compiled_code"]
            con.execute(f"create {kind} {model} as {code}")
    return path


class Shop:
    """Runs of the shop on one database, and the workflow that they are stored in."""

    def __init__(self, database: Path) -> None:
        self.folder, self.database = database.parent, database
        self.settings = Settings(warehouse=self.folder / "warehouse")
        self.layout = Layout(self.settings.warehouse)

    def store(
        self,
        built: Sequence[str],
        failed: Sequence[str] = (),
        edit: Mapping[str, str] | None = None,
        changed: Mapping[str, Any] | None = None,
    ) -> RegisteredJob:
        """Store a run that has built some models, and in which others have failed."""
        target = self.folder / "target"
        write_target(target, with_sql(base_manifest(), edit or {}))
        states = {**dict.fromkeys(built, "success"), **dict.fromkeys(failed, "error")}
        found = json.loads((BASE / "run_results.json").read_text(encoding="utf-8"))
        timing = [{"name": "execute", "started_at": "2026-01-01T00:00:00Z",
                   "completed_at": "2026-01-01T00:00:01Z"}]  # fmt: skip
        found["results"] = [
            {"unique_id": f"model.shop.{name}", "status": state, "timing": timing}
            for name, state in states.items()
        ]
        (target / "run_results.json").write_text(json.dumps(found), encoding="utf-8")
        place = "shop", self.database
        return register_built(
            "shop", project(target), place, changed or {}, self.settings, Silent()
        )


def test_built_models_are_a_revision_with_results(database: Path) -> None:
    shop = Shop(database)
    found = shop.store((*VIEWS, *TABLES))
    assert (found.revision, found.notes, found.results) == ("shop@r1", (), 5)
    executions = ended_executions(shop.layout)
    for each in executions:
        path = result_path(shop.layout, each.result)
        with duckdb.connect(database, read_only=True) as con:
            one, other = (con.execute(f"from {of}").fetchall() for of in (each.sink, f"'{path}'"))
        assert sorted(map(str, map(_texts, one))) == sorted(map(str, map(_texts, other)))
        assert (each.started, each.ended) == ("2026-01-01T00:00:00Z", "2026-01-01T00:00:01Z")
    assert {pin.table for each in executions for pin in each.inputs} == {*SEEDS}
    renamed = base_manifest()["nodes"]["model.shop.top"]["raw_code"]
    assert shop.store(("top",), edit={"top": f"-- edited\n{renamed}"}).revision == "shop@r2"
    assert reuse(shop.layout, "shop@r1", "top").decision == "reuse"
    with duckdb.connect(database) as con:
        con.execute("delete from raw_orders where id = (select min(id) from raw_orders)")
    assert reuse(shop.layout, "shop@r1", "top").decision == "partial"  # from the same customers
    assert reuse(shop.layout, "shop@r1", "stg_customers").decision == "reuse"


def _texts(row: tuple[Any, ...]) -> list[str]:
    return [*map(str, row)]  # Parquet stores a HUGEINT as a decimal number


def test_a_result_from_a_model_of_an_earlier_run_is_not_stored(database: Path) -> None:
    """The view may have had other SQL, or a table other rows, when the run read it."""
    found = Shop(database).store(TABLES)
    assert found.results == 0
    assert "It reads stg_" in found.notes[0]


def test_a_failed_model_has_a_failed_execution_without_a_result(database: Path) -> None:
    shop = Shop(database)
    found = shop.store(VIEWS, ["top"])
    assert (found.revision, found.results) == ("shop@r1", 2)
    (failed,) = (each for each in list_results(shop.layout, "shop").results if each.sink == "top")
    assert (failed.state, failed.result, failed.hindrance) == (
        "failed", "", "the execution has failed"
    )  # fmt: skip
    assert reuse(shop.layout, "shop@r1", "top").decision == "build"


def test_results_under_changed_settings_are_not_stored(database: Path) -> None:
    found = Shop(database).store(VIEWS, changed={"default_null_order": "nulls_first"})
    assert (found.revision, found.results) == ("shop@r1", 0)
    assert "default_null_order" in found.notes[0]
    assert may_change_rows({"threads": 4, "ordered_aggregate_threshold": 1}) == [
        "ordered_aggregate_threshold"
    ]


@pytest.mark.long
def test_the_command_stores_what_dbt_builds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    install_dbt()
    sql = "{{ config(materialized='table') }} select 1 as id, 2 as n"
    shop = DbtProject.write(tmp_path, {"models/one.sql": sql})
    monkeypatch.chdir(shop.root)
    monkeypatch.setattr("provhouse.interactive.dbt.traced_run.require", _without_spark)
    command = ["--warehouse", "warehouse", "dbt", "--dbt", str(DBT / "dbt"), "--workflow", "shop"]
    assert run([*command, "build", "--profiles-dir", "."]) == 0
    assert "Revision shop@r1: 1 result is stored" in capsys.readouterr().err
    assert reuse(Layout(tmp_path / "warehouse"), "shop@r1", "one").decision == "reuse"


def _without_spark(extra: str) -> None:
    raise Unavailable(f"no {extra}", "", "")
