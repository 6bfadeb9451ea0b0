"""Refusals: an undecided model is reported with the name of the part that is not certain."""

import copy
import shutil
from pathlib import Path
from typing import Any

import pytest

from helpers.dbt_edits import BASE, base_manifest, changed, plan_of, with_sql, write_target
from helpers.sampled import one_in
from provhouse.workflows.dbt.reuse_plan import ReusePlan, reuse_plan

A = "model.shop.a"
COMMENTED = "select x.id, x.email from {{ ref('users') }} x"
"""Different SQL for the model ``a`` that returns the same rows."""
UNBUILT = {each for each in base_manifest()["nodes"] if each.startswith("test.")} | {
    "model.shop.paid_orders"
}
REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "hooks": ({"config": {"post-hook": [{"sql": "delete from a"}]}}, "its post-hook may change"),
    "a materialisation": ({"config": {"materialized": "external"}}, "materialised as external"),
    "an incremental model": ({"config": {"materialized": "incremental"}}, "as incremental"),
    "a config": ({"config": {"partitioned_by": "id"}}, "its part partitioned_by is not known"),
    "a config that is off": ({"config": {"dedupe": False}}, "its part dedupe is not known"),
    "a field": ({"sampling": 0.5}, "its part sampling is not known"),
    "a language": ({"language": "python"}, "it is a Python model"),
}
VOLATILE = {
    "random()": "select id, email, random() as r from {{ ref('users') }}",
    "now()": "select id, email, now() as r from {{ ref('users') }}",
    "a LIMIT": "select id, email from {{ ref('users') }} limit 3",
    "a file": "select * from read_csv('a.csv')",
    "a table without ref": "select id, email from elsewhere.users",
}


def _verdict(plan: ReusePlan, node: str = A) -> tuple[str, str, bool]:
    (found,) = [each for each in plan.changed if each.node == node]
    return found.verdict, found.reason, bool(found.why_built)


def _updated(manifest: dict[str, Any], part: dict[str, Any]) -> dict[str, Any]:
    def update(node: Any) -> None:
        config = node["config"] | part.get("config", {})
        node.update(part | {"config": config})

    return changed(manifest, A, update)


def test_other_sql_alone_is_equal(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, with_sql(base_manifest(), {"a": COMMENTED}))
    assert _verdict(plan) == ("equal", "the keys of its rows and columns are equal", False)


@pytest.mark.parametrize("what", one_in(4, REFUSED))
def test_a_changed_model_is_undecided_by_name(what: str, tmp_path: Path) -> None:
    part, reason = REFUSED[what]
    base = _updated(base_manifest(), part)
    plan = plan_of(tmp_path, with_sql(base, {"a": COMMENTED}), base)
    assert _verdict(plan)[::2] == ("undecided", True)
    assert reason in _verdict(plan)[1]
    assert plan_of(tmp_path, base, base).changed == ()


@pytest.mark.parametrize("what", one_in(4, REFUSED))
def test_a_part_that_comes_is_undecided(what: str, tmp_path: Path) -> None:
    plan = plan_of(tmp_path, _updated(base_manifest(), REFUSED[what][0]))
    assert _verdict(plan)[::2] == ("undecided", True)
    assert {"model.shop.a", "model.shop.c"} <= {*plan.build}


@pytest.mark.parametrize(
    "part",
    [
        {"config": {"unique_key": "id"}},
        {"config": {"contract": {"enforced": True}}},
        {"config": {"event_time": "day"}},
        {"constraints": [{"type": "not_null", "columns": ["id"]}]},
    ],
)
def test_a_changed_part_is_undecided(part: dict[str, Any], tmp_path: Path) -> None:
    plan = plan_of(tmp_path, _updated(base_manifest(), part))
    assert _verdict(plan)[0] == "undecided"
    assert "differs" in _verdict(plan)[1]


@pytest.mark.parametrize("what", VOLATILE)
def test_rows_that_vary_are_undecided(what: str, tmp_path: Path) -> None:
    base = with_sql(base_manifest(), {"a": VOLATILE[what]})
    edited = with_sql(base, {"a": f"with q as ({VOLATILE[what]}) select * from q"})
    assert _verdict(plan_of(tmp_path, edited, base))[::2] == ("undecided", True)


def test_a_comment_in_sql_that_is_not_compared_needs_no_build(tmp_path: Path) -> None:
    base = with_sql(base_manifest(), {"a": VOLATILE["random()"]})
    edited = with_sql(base, {"a": f"-- All users.\n{VOLATILE['random()']}"})
    plan = plan_of(tmp_path, edited, base)
    assert (_verdict(plan)[0], plan.build) == ("equal", ())


@pytest.mark.parametrize("materialized", ["view", "table"])
def test_a_reader_of_rows_that_vary_is_kept_if_they_are_stored(
    materialized: str, tmp_path: Path
) -> None:
    base = with_sql(base_manifest(), {"a": VOLATILE["random()"]})
    base["nodes"][A]["config"]["materialized"] = materialized
    edited = with_sql(base, {"c": "select x.id from {{ ref('a') }} x"})
    verdict = _verdict(plan_of(tmp_path, edited, base), "model.shop.c")[0]
    assert verdict == ("equal" if materialized == "table" else "undecided")


def test_a_template_that_reads_the_database_is_undecided(tmp_path: Path) -> None:
    base = base_manifest()
    raw = "{% set n = run_query('select 1') %} select id, email from {{ ref('users') }}"
    base["nodes"][A]["raw_code"] = raw
    sql = "select id, lower(email) as email, username, 1 as x from {{ ref('raw_users') }}"
    plan = plan_of(tmp_path, with_sql(base, {"users": sql}), base)
    (found,) = [each for each in plan.readers if each.node == A]
    assert "run_query" in found.why_built


def test_an_incremental_model_is_built_if_its_other_branch_changes(tmp_path: Path) -> None:
    edited = base_manifest()
    node = edited["nodes"]["model.shop.daily"]
    node["raw_code"] = node["raw_code"].replace(">=", ">")
    plan = plan_of(tmp_path, edited)
    assert _verdict(plan, "model.shop.daily")[0] == "undecided"


def test_incremental_models_and_snapshots_are_kept_if_what_they_read_is_equal(
    tmp_path: Path,
) -> None:
    columns = "id as order_id, customer_id, country, amount_cents, status, ordered_on"
    sql = f"select {columns} from (from {{{{ ref('raw_orders') }}}})"
    plan = plan_of(tmp_path, with_sql(base_manifest(), {"stg_orders": sql}))
    assert plan.build == ()
    assert "model.shop.daily" in {each.node for each in plan.readers}
    wider = with_sql(
        base_manifest(), {"stg_orders": sql.replace("ordered_on", "ordered_on, 1 as x")}
    )
    assert "model.shop.daily" in plan_of(tmp_path, wider).build


def test_another_dbt_builds_all(tmp_path: Path) -> None:
    edited = base_manifest()
    edited["macros"]["macro.dbt.is_incremental"]["macro_sql"] += " "
    plan = plan_of(tmp_path, edited)
    assert "macro.dbt.is_incremental" in plan.refused
    assert {*plan.build} == {*edited["nodes"]} - UNBUILT


def test_a_macro_that_replaces_one_of_dbt_builds_all(tmp_path: Path) -> None:
    edited = base_manifest()
    own = edited["macros"]["macro.shop.euros"]
    edited["macros"]["macro.shop.default__is_incremental"] = own | {
        "name": "default__is_incremental", "unique_id": "macro.shop.default__is_incremental",
    }  # fmt: skip
    assert "default__is_incremental" in plan_of(tmp_path, edited).refused


def test_hooks_of_a_run_build_all(tmp_path: Path) -> None:
    edited = base_manifest()
    hook = {"resource_type": "operation", "unique_id": "operation.shop.x", "raw_code": "vacuum"}
    edited["nodes"]["operation.shop.x"] = hook
    assert "hooks" in plan_of(tmp_path, edited).refused


def test_a_materialisation_of_the_project_is_undecided(tmp_path: Path) -> None:
    base = base_manifest()
    own = base["macros"]["macro.shop.euros"] | {"name": "materialization_table_duckdb"}
    base["macros"]["macro.shop.materialization_table_duckdb"] = own
    plan = plan_of(tmp_path, with_sql(base, {"a": COMMENTED}), base)
    assert "defines how dbt materialises" in _verdict(plan)[1]


def test_models_without_compiled_sql_are_undecided(tmp_path: Path) -> None:
    edited = with_sql(base_manifest(), {"a": COMMENTED})
    edited["nodes"][A]["compiled_code"] = None
    assert _verdict(plan_of(tmp_path, edited))[1] == "its SQL is not compiled"


def test_a_template_that_names_tables_only_needs_no_compilation(tmp_path: Path) -> None:
    edited = changed(base_manifest(), A, lambda node: node.update(compiled_code=None))
    assert plan_of(tmp_path, edited).build == ()
    base = changed(base_manifest(), A, lambda node: node.update(raw_code="{{ var('x') }}"))
    edited = changed(base, A, lambda node: node.update(compiled_code=None))
    assert plan_of(tmp_path, edited, base).build == (A, "model.shop.c")


@pytest.mark.parametrize(
    "sql",
    one_in(
        3,
        [
            "select id, email, email from {{ ref('users') }}",
            "select 1; select 2",
            "/* nothing",
            "select 'unfinished from {{ ref('users') }}",
            "drop table x",
            "select null as n from {{ ref('users') }}",
            "select * from information_schema.tables",
            "select error('no') as x from {{ ref('users') }}",
        ],
    ),
)
def test_no_sql_ends_the_command(sql: str, tmp_path: Path) -> None:
    base = with_sql(base_manifest(), {"a": sql})
    for edited in (
        with_sql(base, {"a": f"{sql} "}),
        with_sql(base, {"a": f"select * from ({sql})"}),
    ):
        plan = plan_of(tmp_path, edited, base)
        assert {*plan.build} <= {A, "model.shop.c"}
    assert _verdict(plan_of(tmp_path, with_sql(base_manifest(), {"a": sql})))[::2] != (
        "equal",
        False,
    )


def test_a_type_that_duckdb_lacks_is_not_known(tmp_path: Path) -> None:
    base, edited = (
        tmp_path / "base",
        with_sql(base_manifest(), {"users": "select id from {{ ref('raw_users') }}"}),
    )
    shutil.copytree(BASE, base)
    text = (BASE / "catalog.json").read_text(encoding="utf-8")
    (base / "catalog.json").write_text(text.replace('"VARCHAR"', '"GEOMETRY_9"'), encoding="utf-8")
    write_target(tmp_path / "edit", edited)
    (found,) = reuse_plan(tmp_path / "edit", base).changed
    assert found.verdict == "undecided"
    assert "types of the columns of raw_users are not known" in found.reason


def test_a_large_seed_is_undecided(tmp_path: Path) -> None:
    base = base_manifest()
    seed = base["nodes"]["seed.shop.raw_users"]
    seed["checksum"] = {"name": "path", "checksum": "seeds/raw_users.csv"}
    plan = plan_of(tmp_path, copy.deepcopy(base), base)
    assert "dbt has not hashed its file" in _verdict(plan, "seed.shop.raw_users")[1]
    assert "model.shop.users" in plan.build
