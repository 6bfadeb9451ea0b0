"""Edits of a dbt project: the verdict on each changed model, and the models to build."""

import copy
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from helpers.dbt_edits import BASE, base_manifest, changed, plan_of, with_sql, write_target
from helpers.dbt_shop import TARGETS
from provhouse.workflows.dbt.reuse_plan import ReusePlan, reuse_plan

USERS = {
    "a column is added": "select id, lower(email) as email, username, 1 as phone from {}",
    "an expression is changed": "select id, upper(email) as email, username from {}",
    "an unused column is dropped": "select id, lower(email) as email from {}",
    "WHERE is changed": "select id, lower(email) as email, username from {} where id > 0",
}
"""The four edits of SQLMesh's issue 6062, https://github.com/SQLMesh/sqlmesh/issues/6062."""
BUILT = {
    "a column is added": {"users"},
    "an expression is changed": {"users", "a"},
    "an unused column is dropped": {"users"},
    "WHERE is changed": {"users", "a", "b", "c"},
}


def names(nodes: tuple[str, ...]) -> set[str]:
    """Return the names of nodes."""
    return {node.split(".")[2] for node in nodes}


def verdicts(plan: ReusePlan) -> dict[str, str]:
    """Return the verdict on each changed node."""
    return {each.node.split(".")[2]: each.verdict for each in plan.changed}


def test_a_refactoring_needs_no_build() -> None:
    plan = reuse_plan(TARGETS / "refactored", BASE)
    edited = {"stg_customers", "orders_by_customer", "revenue_by_country"}
    assert verdicts(plan) == dict.fromkeys(edited, "equal")
    assert plan.build == ()
    assert names(plan.saved) == edited | {"customers_history", "top"}


def test_a_change_builds_what_reads_it() -> None:
    plan = reuse_plan(TARGETS / "changed", BASE)
    assert verdicts(plan) == {
        "countries": "different",
        "stg_orders": "different",
        "users": "different",
        "visits_by_customer": "different",
        "new_customers": "new",
    }
    built = {"countries", "stg_orders", "users", "visits_by_customer", "new_customers"}
    assert names(plan.build) == built | {"daily", "revenue_by_country", "a"}
    assert names(plan.saved) == {"b", "c", "last_orders", "orders_by_customer", "top"}
    reasons = {each.node.split(".")[2]: each.why_built for each in plan.readers}
    assert reasons["a"] == "it reads email of users"
    assert reasons["revenue_by_country"] == "it reads countries"


def test_rows_show_a_difference() -> None:
    plan = reuse_plan(TARGETS / "changed", BASE)
    (found,) = [each for each in plan.changed if each.node == "model.shop.visits_by_customer"]
    assert found.example is not None
    assert found.example.tables["crm.visits"].columns == ("customer_id", "day")
    assert found.example.only_base.rows != found.example.only_head.rows


@pytest.mark.parametrize("edit", USERS)
def test_only_readers_of_a_changed_column_are_built(edit: str, tmp_path: Path) -> None:
    sql = USERS[edit].format("{{ ref('raw_users') }}")
    plan = plan_of(tmp_path, with_sql(base_manifest(), {"users": sql}))
    assert names(plan.build) == BUILT[edit]
    assert names(plan.modified) == {"users", "a", "b", "c"}


def test_equal_columns_are_those_that_readers_use(tmp_path: Path) -> None:
    sql = "select id, lower(email) as email, 'x' as username from {{ ref('raw_users') }}"
    plan = plan_of(tmp_path, with_sql(base_manifest(), {"users": sql}))
    (found,) = plan.changed
    assert (found.verdict, found.columns) == ("equal columns", ("username",))


def test_a_target_of_another_schema_is_the_same_project(tmp_path: Path) -> None:
    text = (BASE / "manifest.json").read_text(encoding="utf-8")
    for main, own in ((r"\"main\"", r"\"pr_7\""), ('"schema": "main"', '"schema": "pr_7"')):
        text = text.replace(main, own)
    (tmp_path / "manifest.json").write_text(text, encoding="utf-8")
    plan = reuse_plan(tmp_path, BASE)
    assert (plan.changed, plan.build, plan.modified) == ((), (), ())


def test_a_table_of_the_base_to_which_dbt_defers_is_the_same_table(tmp_path: Path) -> None:
    edited = changed(base_manifest(), "model.shop.a", lambda node: node.update(tags=["x"]))
    users, reader = (edited["nodes"][f"model.shop.{name}"] for name in ("users", "a"))
    users["defer_relation"] = {"relation_name": '"prod"."main"."users"'}
    reader["compiled_code"] = 'select id, email from "prod"."main"."users"'
    assert plan_of(tmp_path, edited).build == ()


def test_a_text_with_the_name_of_a_table_is_no_table(tmp_path: Path) -> None:
    base = with_sql(
        base_manifest(),
        {"b": """select id, '"shop"."main"."users"' as t from {{ ref('users') }}"""},
    )
    plan = plan_of(tmp_path, _moved(base, "users", "people"), base)
    assert names(plan.build) == {"users"}


def test_a_split_model_is_equal(tmp_path: Path) -> None:
    base = base_manifest()
    wider = copy.deepcopy(base)
    new = copy.deepcopy(base["nodes"]["model.shop.b"])
    new |= {"name": "lowered", "alias": "lowered", "unique_id": "model.shop.lowered"}
    new |= {"relation_name": '"shop"."main"."lowered"'}
    wider["nodes"]["model.shop.lowered"] = new
    edit = {
        "lowered": "select id, lower(email) as email, username as name from {{ ref('raw_users') }}",
        "users": "select id, email, name as username from {{ ref('lowered') }}",
    }
    plan = plan_of(tmp_path, with_sql(wider, edit))
    assert verdicts(plan) == {"lowered": "new", "users": "equal"}
    assert names(plan.build) == {"lowered"}


def test_a_key_that_a_test_has_found_leaves_no_ties(tmp_path: Path) -> None:
    sql = "select order_id, customer_id from {{ ref('stg_orders') }} o order by 1 desc limit 5"
    edited = with_sql(base_manifest(), {"last_orders": sql})
    plan = plan_of(tmp_path, edited)
    assert verdicts(plan) == {"last_orders": "equal"}
    assert "order_id is a key of stg_orders, as tests of dbt found" in plan.assumptions


@pytest.mark.parametrize("test", ["unique", "not_null"])
def test_a_key_is_not_assumed_if_its_test_fails_now(test: str, tmp_path: Path) -> None:
    sql = "select order_id, customer_id from {{ ref('stg_orders') }} o order by 1 desc limit 5"
    edited = with_sql(base_manifest(), {"last_orders": sql})
    (failed,) = [each for each in edited["nodes"] if f".{test}_stg_orders_order_id" in each]
    plan = plan_of(tmp_path, edited, results={failed: "fail"})
    assert verdicts(plan) == {"last_orders": "undecided"}


@pytest.mark.parametrize(
    "config", [{"where": "status = 'paid'"}, {"error_if": "> 10"}, {"limit": 1}]
)
def test_a_test_of_some_rows_finds_no_key(config: dict[str, Any], tmp_path: Path) -> None:
    base = base_manifest()
    for node in base["nodes"].values():
        if node["resource_type"] == "test":
            node["config"] |= config
    sql = "select order_id, customer_id from {{ ref('stg_orders') }} o order by 1 desc limit 5"
    plan = plan_of(tmp_path, with_sql(base, {"last_orders": sql}), base)
    assert verdicts(plan) == {"last_orders": "undecided"}


def base_that_ran(folder: Path, args: dict[str, Any], invocation: str = "") -> Path:
    """Return a base whose results are those of a run of dbt with these options."""
    base = folder / "base"
    shutil.copytree(BASE, base)
    found = json.loads((base / "run_results.json").read_text(encoding="utf-8"))
    found["args"] = {"empty": False, "defer": False, "favor_state": False, **args}
    if invocation:
        found["metadata"]["invocation_id"] = invocation
    (base / "run_results.json").write_text(json.dumps(found), encoding="utf-8")
    return base


@pytest.mark.parametrize(
    ("args", "invocation", "verdict"),
    [
        ({"vars": {}, "which": "build"}, "", "equal"),
        ({"defer": True}, "", "undecided"),  # the tests may have read the tables of production
        ({"favor_state": True}, "", "undecided"),
        ({}, "another", "undecided"),  # the results belong to another manifest
    ],
)
def test_a_test_of_other_data_finds_no_key(
    args: dict[str, Any], invocation: str, verdict: str, tmp_path: Path
) -> None:
    sql = "select order_id, customer_id from {{ ref('stg_orders') }} o order by 1 desc limit 5"
    write_target(tmp_path / "target", with_sql(base_manifest(), {"last_orders": sql}))
    plan = reuse_plan(tmp_path / "target", base_that_ran(tmp_path, args, invocation))
    assert verdicts(plan) == {"last_orders": verdict}


@pytest.mark.parametrize("args", [{"empty": True}, {"sample": "3 days"}])
def test_of_a_base_that_was_built_from_some_rows_nothing_is_kept(
    args: dict[str, Any], tmp_path: Path
) -> None:
    plan = reuse_plan(BASE, base_that_ran(tmp_path, args))
    assert f"--{next(iter(args))}" in plan.refused
    nodes = base_manifest()["nodes"].items()
    models = {id_ for id_, node in nodes if node["resource_type"] == "model"}
    assert models - {*plan.build} == {"model.shop.paid_orders"}  # which is ephemeral
    assert not [each for each in plan.assumptions if "is a key of" in each]


def test_a_renamed_table_is_built_and_so_are_its_views(tmp_path: Path) -> None:
    base = changed(
        base_manifest(), "model.shop.c", lambda node: node["config"].update(materialized="view")
    )
    plan = plan_of(tmp_path, _moved(base, "a", "people"), base)
    assert verdicts(plan)["a"] == "equal"
    assert names(plan.build) == {"a", "c"}


@pytest.mark.parametrize(
    ("config", "value"),
    [
        ("grants", {"select": ["ann"]}),
        ("materialized", "view"),
        ("schema", "crm"),
        ("indexes", ["id"]),
    ],
)
def test_a_relation_with_the_same_rows_is_built_without_its_readers(
    config: str, value: Any, tmp_path: Path
) -> None:
    edited = changed(
        base_manifest(), "model.shop.a", lambda node: node["config"].update({config: value})
    )
    plan = plan_of(tmp_path, edited)
    assert verdicts(plan) == {"a": "equal"}
    assert names(plan.build) == {"a"}


@pytest.mark.parametrize(("config", "value"), [("tags", ["x"]), ("meta", {"x": 1}), ("group", "g")])
def test_labels_need_no_build(config: str, value: Any, tmp_path: Path) -> None:
    edited = changed(
        base_manifest(), "model.shop.a", lambda node: node["config"].update({config: value})
    )
    assert plan_of(tmp_path, edited).build == ()


def test_a_model_that_failed_in_the_base_is_built(tmp_path: Path) -> None:
    base = tmp_path / "base"
    shutil.copytree(BASE, base)
    found = json.loads((base / "run_results.json").read_text(encoding="utf-8"))
    for each in found["results"]:
        if each["unique_id"] == "model.shop.c":
            each["status"] = "error"
    (base / "run_results.json").write_text(json.dumps(found), encoding="utf-8")
    assert reuse_plan(BASE, base).build == ("model.shop.c",)


def test_a_removed_model_is_listed(tmp_path: Path) -> None:
    edited = base_manifest()
    del edited["nodes"]["model.shop.c"]
    plan = plan_of(tmp_path, edited)
    assert (plan.removed, plan.build) == (("model.shop.c",), ())


def test_an_exposure_of_other_rows_is_named(tmp_path: Path) -> None:
    sql = "select customer_id, cents + 1 as cents from {{ ref('orders_by_customer') }}"
    plan = plan_of(tmp_path, with_sql(base_manifest(), {"top": sql}))
    assert plan.exposures == ("exposure.shop.board",)
    assert verdicts(plan) == {"top": "different"}


def test_a_table_that_is_named_without_ref_is_read_too(tmp_path: Path) -> None:
    base = with_sql(base_manifest(), {"b": "select id from shop.main.users"})
    assert base["nodes"]["model.shop.b"]["depends_on"]["nodes"] == []
    sql = USERS["WHERE is changed"].format("{{ ref('raw_users') }}")
    plan = plan_of(tmp_path, with_sql(base, {"users": sql}), base)
    assert "b" in names(plan.build)


def _moved(manifest: dict[str, Any], name: str, alias: str) -> dict[str, Any]:
    """Return a manifest in which a model's table has another name."""
    made = copy.deepcopy(manifest)
    node = made["nodes"][f"model.shop.{name}"]
    old, new = node["relation_name"], f'"shop"."main"."{alias}"'
    node |= {"alias": alias, "relation_name": new}
    node["config"]["alias"] = alias
    for each in made["nodes"].values():
        if each.get("compiled_code") and node["unique_id"] in each["depends_on"]["nodes"]:
            each["compiled_code"] = each["compiled_code"].replace(f"from {old}", f"from {new}")
    return made
