"""The models of a dbt project are the sinks of one revision, whose results are reused."""

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import duckdb
import pytest

from helpers.dbt_edits import BASE, base_manifest, changed, with_sql, write_target
from helpers.dbt_shop import SHOP, TARGETS
from helpers.sampled import one_in
from provhouse.cli.app import run
from provhouse.equivalence.plan_form import doubts
from provhouse.model.errors import BadInput, UsageError
from provhouse.model.progress import Silent
from provhouse.model.settings import Settings
from provhouse.store.warehouse.layout import Layout
from provhouse.workflows.dbt.model_sinks import add_project, model_sinks
from provhouse.workflows.executions import add_execution
from provhouse.workflows.reuse import reuse
from provhouse.workflows.revision_names import revision_name
from provhouse.workflows.revisions import SinkPlan

SEEDS = ("raw_customers", "raw_orders", "countries")
SINKS = {"orders_by_customer": SEEDS[:2], "revenue_by_country": SEEDS[1:], "top": SEEDS[:2]}
"""Models that are executed, and the seeds from which each derives."""


def sinks_with(folder: Path, manifest: dict[str, Any]) -> Mapping[str, SinkPlan]:
    """Return the sinks of a manifest, using the shop's catalog."""
    write_target(folder / "target", manifest)
    shutil.copy(BASE / "catalog.json", folder / "target")
    return model_sinks(folder / "target", "")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with Parquet files of the shop's seeds and of three models, built as by dbt."""
    folder = tmp_path_factory.mktemp("built")
    con = duckdb.connect(str(folder / "shop.duckdb"))
    catalog = json.loads((BASE / "catalog.json").read_text(encoding="utf-8"))["nodes"]
    for seed in SEEDS:
        columns = catalog[f"seed.shop.{seed}"]["columns"].values()
        listed = ", ".join(f"{each['name']} {each['type']}" for each in columns)
        con.execute(f"create table {seed}({listed})")
        con.execute(f"insert into {seed} by name from read_csv('{SHOP}/seeds/{seed}.csv')")
    nodes = base_manifest()["nodes"]
    for model in ("stg_customers", "stg_orders", *SINKS):
        con.execute(f"create table {model} as {nodes[f'model.shop.{model}']['compiled_code']}")
    for table in (*SEEDS, *SINKS):
        con.execute(f"copy {table} to '{folder}/{table}.parquet' (format parquet)")
    return folder


@pytest.mark.long
def test_results_of_models_are_reused_after_a_refactoring(built: Path, tmp_path: Path) -> None:
    settings = Settings(warehouse=tmp_path / "warehouse")
    first = add_project("shop", BASE, "", settings, Silent()).revision
    assert not add_project("shop", BASE, "", settings, Silent()).new
    for sink, seeds in SINKS.items():
        inputs = {seed: str(built / f"{seed}.parquet") for seed in seeds}
        given = {sink: built / f"{sink}.parquet"}
        done = add_execution(revision_name(first), given, inputs, settings, Silent())
        assert done.doubts == ()
    target = tmp_path / "target"
    shutil.copytree(TARGETS / "refactored", target)
    shutil.copy(BASE / "catalog.json", target)
    second = add_project("shop", target, "", settings, Silent()).revision
    layout = Layout(settings.warehouse)
    for sink in SINKS:
        found = reuse(layout, second, sink)
        assert (found.decision, found.of) == ("reuse", "shop@r1"), found
        assert reuse(layout, second, sink, audited=1.0).audited, found
    edited = with_sql(
        base_manifest(),
        {"stg_orders": "select id as order_id, customer_id, country, amount_cents, status, "
         "ordered_on from {{ ref('raw_orders') }} where amount_cents > 1000"},
    )  # fmt: skip
    write_target(target, edited)
    third = add_project("shop", target, "", settings, Silent()).revision
    found = reuse(layout, third, "orders_by_customer")
    assert (found.decision, found.operator.partition(",")[0]) == ("build", "filter"), found


def test_every_model_is_a_sink_over_tables_that_no_query_makes() -> None:
    sinks = model_sinks(BASE, "")
    built = {each["name"] for each in base_manifest()["nodes"].values()
             if each["resource_type"] == "model"}  # fmt: skip
    assert {*sinks} == built - {"paid_orders"}
    assert doubts(sinks["daily"].plan) == ["it is materialised as incremental"]
    assert doubts(sinks["last_orders"].plan) == ["rows that tie may come in any order"]
    assert not any(doubts(sinks[name].plan) for name in sinks if name[0] not in "dl")
    assert "create view" in sinks["c"].ddl
    assert sinks["c"].ddl.count("create table") == 1


REFUSED = {
    "a hook": lambda node: node["config"].update({"post-hook": [{"sql": "delete"}]}),
    "Python": lambda node: node.update(language="python"),
    "incremental": lambda node: node["config"].update(materialized="incremental"),
    "a contract": lambda node: node["config"].update(contract={"enforced": True}),
    "an unknown config": lambda node: node["config"].update(shuffled=True),
    "a volatile function": lambda node: node.update(
        compiled_code="select random() as id, 'x' email"
    ),
    "ties": lambda node: node.update(
        compiled_code='select id, email from "shop".main.users limit 2'
    ),
    "a column without a type": lambda node: node.update(compiled_code="select 1 as id, null email"),
    "no compiled SQL": lambda node: node.update(compiled_code=None),
}


@pytest.mark.parametrize("edit", one_in(3, REFUSED))
def test_a_model_that_is_not_its_sql_has_no_plan_and_is_an_input(edit: str, tmp_path: Path) -> None:
    sinks = sinks_with(tmp_path, changed(base_manifest(), "model.shop.a", REFUSED[edit]))
    assert doubts(sinks["a"].plan)
    if sinks["a"].source == "dbt":
        assert "create view" not in sinks["c"].ddl
        assert edit == "no compiled SQL" or not doubts(sinks["c"].plan)


def test_hooks_of_a_run_leave_no_plan(tmp_path: Path) -> None:
    manifest = base_manifest()
    hook = {**manifest["nodes"]["model.shop.a"], "resource_type": "operation"}
    manifest["nodes"]["operation.shop.shop-on-run-end-0"] = hook
    sinks = sinks_with(tmp_path, manifest)
    assert all(doubts(sink.plan) for sink in sinks.values())


def test_types_are_read_from_a_schema(tmp_path: Path) -> None:
    write_target(tmp_path, base_manifest())
    assert doubts(model_sinks(tmp_path, "")["users"].plan) == [
        "the types of the columns of raw_users are not known"
    ]
    ddl = "create table raw_users(id integer, email varchar, username varchar);"
    assert doubts(model_sinks(tmp_path, ddl)["users"].plan) == []


def test_tests_of_inputs_that_passed_are_constraints(tmp_path: Path) -> None:
    sql = "select id as order_id from {{ ref('raw_orders') }} order by id desc limit 5"
    manifest = with_sql(base_manifest(), {"last_orders": sql})
    for test in manifest["nodes"].values():
        if test.get("column_name") == "order_id":
            test |= {"attached_node": "seed.shop.raw_orders", "column_name": "id"}
    shutil.copytree(BASE, tmp_path / "target")
    sinks = sinks_with(tmp_path, manifest)
    assert 'primary key ("id")' in sinks["last_orders"].ddl
    assert doubts(sinks["last_orders"].plan) == []


def test_other_folders_and_names_are_refused(tmp_path: Path) -> None:
    settings = Settings(warehouse=tmp_path / "warehouse")
    with pytest.raises(BadInput):
        add_project("shop", tmp_path, "", settings, Silent())
    with pytest.raises(UsageError):
        add_project("a b", BASE, "", settings, Silent())


def test_the_command_stores_a_project(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["--warehouse", str(tmp_path / "warehouse"), "revisions", "add", "shop"]
    assert run([*command, str(BASE), "--from", "dbt"]) == 0
    assert json.loads(capsys.readouterr().out)["revision"] == "shop@r1"
    assert run([*command, str(BASE), str(BASE), "--from", "dbt"]) == 2
    assert "several folders of dbt" in capsys.readouterr().err
