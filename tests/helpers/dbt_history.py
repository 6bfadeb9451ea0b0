"""A history of edits as dbt manifests, and dbt's and SQLMesh's rules for models to rebuild."""

import copy
import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
from sqlglot import exp, parse_one

from helpers import users_project
from helpers.dbt_edits import Manifest, base_manifest, compiled_sql
from helpers.edit_history import Step
from helpers.edit_project import RAW, Model

VIEWS = ("staging",)
"""The folders of the project whose models are views."""


def manifest_of(models: Iterable[Model]) -> Manifest:
    """Return a project's manifest, as dbt writes it."""
    shop = base_manifest()
    made: Manifest = shop | {"nodes": {}, "sources": {}, "exposures": {}}
    model, source = shop["nodes"]["model.shop.b"], shop["sources"]["source.shop.crm.visits"]
    for table in _tables():
        made["sources"][f"source.shop.raw.{table}"] = _named(source, "source.shop.raw", table)
    for each in models:
        node = _named(model, "model.shop", each.name)
        node["config"] |= {"materialized": "view" if each.folder in VIEWS else "table"}
        made["nodes"][node["unique_id"]] = node
    for each in models:
        node = made["nodes"][f"model.shop.{each.name}"]
        compiled, needs = compiled_sql(made, each.text())
        node |= {"raw_code": each.text(), "compiled_code": compiled}
        node["depends_on"] = {"macros": [], "nodes": needs}
    return made


def catalog() -> dict[str, Any]:
    """Return the catalog of the sources."""
    columns: dict[str, Any] = {}
    for table, listed in _tables().items():
        columns[f"source.shop.raw.{table}"] = {
            "columns": {
                name: {"name": name, "type": type_, "index": at}
                for at, (name, type_) in enumerate(listed)
            }
        }
    metadata = {"dbt_schema_version": "https://schemas.getdbt.com/dbt/catalog/v1.json"}
    return {"metadata": metadata, "nodes": {}, "sources": columns}


def write_step(folder: Path, step: Step) -> tuple[Path, Path]:
    """Write the target folders before and after an edit, and return them."""
    folders = folder / "base", folder / "target"
    for target, models in zip(folders, (step.before, step.after), strict=True):
        target.mkdir(exist_ok=True)
        (target / "manifest.json").write_text(json.dumps(manifest_of(models)), encoding="utf-8")
    (folders[0] / "catalog.json").write_text(json.dumps(catalog()), encoding="utf-8")
    return folders


def sqlmesh_builds(step: Step) -> set[str]:
    """Return the models that SQLMesh's rule builds: all children, unless an edit only adds columns.

    The rule is stated in https://github.com/SQLMesh/sqlmesh/issues/6062, "OSS today".
    """
    before = {model.name: parse_one(model.sql(), dialect="duckdb") for model in step.before}
    built: set[str] = set()
    breaking: set[str] = set()
    for model in step.after:
        old, new = before.get(model.name), parse_one(model.sql(), dialect="duckdb")
        if breaking & set(model.reads) or (old != new and not (old and _adds(old, new))):
            breaking.add(model.name)
        if old != new or model.name in breaking:
            built.add(model.name)
    return built


def _adds(old: exp.Expr, new: exp.Expr) -> bool:
    """Return whether a query only adds columns to another query."""
    one, other = copy.deepcopy(old), copy.deepcopy(new)
    listed = [{each.sql() for each in query.expressions} for query in (one, other)]
    for query in (one, other):
        query.set("expressions", [])
    return one == other and listed[0] < listed[1]


@cache
def _tables() -> dict[str, list[tuple[str, str]]]:
    with duckdb.connect() as con:
        con.execute(RAW + users_project.RAW)
        found: dict[str, list[tuple[str, str]]] = {}
        query = "select table_name, column_name, data_type from duckdb_columns() where not internal"
        for table, column, type_ in con.execute(
            f"{query} order by table_name, column_index"
        ).fetchall():
            found.setdefault(table, []).append((column, type_))
    return found


def _named(node: dict[str, Any], prefix: str, name: str) -> dict[str, Any]:
    made = copy.deepcopy(node)
    schema = prefix.split(".")[0]
    relation = f'"shop"."{schema}"."{name}"'
    made |= {"name": name, "unique_id": f"{prefix}.{name}", "relation_name": relation}
    return made | {"identifier" if schema == "source" else "alias": name, "schema": schema}
