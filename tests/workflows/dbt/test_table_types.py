"""Source types come from the catalog, the database or DDL; without types, all models are built."""

import shutil
from pathlib import Path

import duckdb
import pytest

from helpers.dbt_edits import BASE, base_manifest, with_sql, write_target
from provhouse.model.errors import BadInput
from provhouse.workflows.dbt.reuse_plan import ReusePlan, reuse_plan

VISITS = "create table visits(customer_id integer, day date)"
SQL = "select v.customer_id, count(*) as visits from {{ source('crm', 'visits') }} v group by all"


@pytest.fixture
def targets(tmp_path: Path) -> tuple[Path, Path]:
    """The targets of an edit and of its base, both without catalogs."""
    edit, base = tmp_path / "edit", tmp_path / "base"
    write_target(edit, with_sql(base_manifest(), {"visits_by_customer": SQL}))
    base.mkdir()
    shutil.copy(BASE / "manifest.json", base)
    return edit, base


def _verdict(plan: ReusePlan) -> tuple[str, str]:
    (found,) = plan.changed
    return found.verdict, found.reason


def test_without_types_a_model_is_undecided(targets: tuple[Path, Path]) -> None:
    reason = "in the base, the types of the columns of crm.visits are not known"
    assert _verdict(reuse_plan(*targets)) == ("undecided", reason)


def test_types_come_from_a_catalog(targets: tuple[Path, Path]) -> None:
    shutil.copy(BASE / "catalog.json", targets[1])
    assert _verdict(reuse_plan(*targets))[0] == "equal"


def test_types_come_from_a_database(targets: tuple[Path, Path], tmp_path: Path) -> None:
    file = tmp_path / "shop.duckdb"
    with duckdb.connect(str(file)) as con:
        con.execute(VISITS)
    assert _verdict(reuse_plan(*targets, database=file))[0] == "equal"
    with pytest.raises(BadInput, match="Cannot read the database"):
        reuse_plan(*targets, database=targets[0] / "manifest.json")


def test_types_come_from_a_ddl_text(targets: tuple[Path, Path], tmp_path: Path) -> None:
    file = tmp_path / "tables.sql"
    file.write_text(VISITS, encoding="utf-8")
    assert _verdict(reuse_plan(*targets, ddl=file))[0] == "equal"
    with pytest.raises(BadInput, match="Cannot read"):
        reuse_plan(*targets, ddl=tmp_path / "none.sql")


def test_types_of_the_base_count_in_another_schema(
    targets: tuple[Path, Path], tmp_path: Path
) -> None:
    file = tmp_path / "shop.duckdb"
    with duckdb.connect(str(file)) as con:
        con.execute(VISITS)
        con.execute("create table countries(code varchar, name varchar)")
        con.execute("create table raw_orders(id integer, country varchar, amount_cents integer)")
    text = (BASE / "manifest.json").read_text(encoding="utf-8")
    edit = text.replace('"schema": "main"', '"schema": "pr_7"').replace("from k", "from  k")
    (targets[0] / "manifest.json").write_text(edit.replace("group by k.name", "group by 1"))
    plan = reuse_plan(*targets, database=file)
    assert {*plan.build} <= {"model.shop.revenue_by_country"}


def test_another_type_of_a_source_is_another_model(targets: tuple[Path, Path]) -> None:
    shutil.copy(BASE / "catalog.json", targets[1])
    text = (BASE / "catalog.json").read_text(encoding="utf-8")
    (targets[0] / "catalog.json").write_text(text.replace('"INTEGER"', '"BIGINT"'))
    shutil.copy(BASE / "manifest.json", targets[0])
    plan = reuse_plan(*targets)
    assert {"model.shop.visits_by_customer"} <= {*plan.build}
