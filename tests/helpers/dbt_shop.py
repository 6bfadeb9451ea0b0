"""A small dbt project, and the files that dbt writes for it and for edits of it."""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent.parent
SHOP = ROOT / "tests/workflows/dbt/shop"
TARGETS = ROOT / "tests/workflows/dbt/targets"
"""Target folders that real dbt has written, without the parts that depend on the machine."""
DBT = ROOT / ".long/dbt/bin"
SETUP = "import duckdb; duckdb.connect('shop.duckdb').execute('create table visits({})')"
VISITS = "customer_id integer, day date"
EDITS: dict[str, dict[str, str]] = {
    "refactored": {
        "models/staging/stg_customers.sql": """-- Customers, as the shop knows them.
select raw.id as customer_id, raw.name, email
from {{ ref('raw_customers') }} as raw
""",
        "models/marts/orders_by_customer.sql": """with customers as (
    select name, customer_id from {{ ref('stg_customers') }}
),
sums as (
    select customers.customer_id, customers.name, count(*) as orders, sum(amount_cents) as cents
    from customers join {{ ref('paid_orders') }} o on customers.customer_id = o.customer_id
    group by customers.name, customers.customer_id
)
select * from sums
""",
        "macros/cents.sql": """{% macro euros(column) %}
    {#- Two places. -#}
    cast({{ column }} / 100 as decimal(18, 2))
{% endmacro %}
""",
    },
    "changed": {
        "models/staging/stg_orders.sql": """
select id as order_id, customer_id, country, amount_cents, status, ordered_on, 'web' as channel
from {{ ref('raw_orders') }}
""",
        "models/accounts/users.sql": """
select id, trim(email) as email, username from {{ ref('raw_users') }}
""",
        "models/marts/visits_by_customer.sql": """
select customer_id, count(*) as visits from {{ source('crm', 'visits') }}
where day >= '2026-01-01' group by customer_id
""",
        "models/marts/new_customers.sql": "select customer_id from {{ ref('stg_customers') }}\n",
        "seeds/countries.csv": "code,name\nAT,Austria\nFR,France\nIT,Italy\n",
    },
}
"""The files of the edits of the project."""
KEPT = re.compile(
    r"\.shop\.|\.dbt\..*(test_unique|test_not_null|get_where_subquery|is_incremental)$"
)
"""The pattern of the macros that a stored target contains."""
MADE_UP = ("created_at", "root_path")
METADATA = ("adapter_type", "dbt_schema_version", "dbt_version", "project_name")


def write_project(folder: Path, edit: Mapping[str, str]) -> None:
    """Write the project's files, changed by an edit."""
    shutil.copytree(SHOP, folder, dirs_exist_ok=True)
    for name, text in edit.items():
        (folder / name).write_text(text, encoding="utf-8")


def run_dbt(folder: Path, *arguments: str) -> str:
    """Run dbt in a folder and return what it prints."""
    own = {"DBT_SEND_ANONYMOUS_USAGE_STATS": "false", "DBT_PROFILES_DIR": "."}
    command = [str(DBT / "dbt"), "--quiet", "--no-version-check", *arguments]
    environment = dict(os.environ) | own
    return subprocess.check_output(command, cwd=folder, env=environment, text=True)


def build(folder: Path) -> None:
    """Build the project, so that its target has all files that a base needs."""
    subprocess.run([DBT / "python", "-c", SETUP.format(VISITS)], cwd=folder, check=True)
    run_dbt(folder, "build")
    run_dbt(folder, "docs", "generate", "--no-compile")


def keep_target(target: Path, to: Path) -> None:
    """Copy the files of a target, without the parts that depend on the machine and the time."""
    to.mkdir(parents=True, exist_ok=True)
    manifest = _read(target / "manifest.json")
    _write(to / "manifest.json", plain_manifest(manifest))
    for name in ("catalog.json", "run_results.json"):
        if (target / name).exists():
            _write(to / name, _plain_results(_read(target / name)))


def plain_manifest(manifest: dict[str, Any]) -> dict[str, Any]:
    """Return a manifest's parts that provhouse reads, with the macros that the project calls."""
    nodes = {id_: _plain(each) for id_, each in manifest["nodes"].items()}
    kept = {id_: _plain(each) for id_, each in manifest["macros"].items() if KEPT.search(id_)}
    others = ("metrics", "semantic_models", "saved_queries")
    return {
        "metadata": {name: manifest["metadata"][name] for name in METADATA},
        "nodes": nodes,
        "sources": {id_: _plain(each) for id_, each in manifest["sources"].items()},
        "macros": kept,
        "exposures": {id_: _plain(each) for id_, each in manifest["exposures"].items()},
        **{name: manifest[name] for name in others},
    }


def _plain_results(found: dict[str, Any]) -> dict[str, Any]:
    metadata = {name: each for name, each in found["metadata"].items() if name in METADATA}
    if "results" in found:
        kept = ("status", "unique_id")
        rows = [{name: each[name] for name in kept} for each in found["results"]]
        return {"metadata": metadata, "results": sorted(rows, key=lambda row: row["unique_id"])}
    return {"metadata": metadata, **{part: _columns(found[part]) for part in ("nodes", "sources")}}


def _columns(tables: dict[str, Any]) -> dict[str, Any]:
    return {id_: {"columns": each["columns"]} for id_, each in tables.items()}


def _plain(part: dict[str, Any]) -> dict[str, Any]:
    return {name: each for name, each in part.items() if name not in MADE_UP}


def _read(path: Path) -> dict[str, Any]:
    return dict(json.loads(path.read_text(encoding="utf-8")))


def _write(path: Path, found: dict[str, Any]) -> None:
    path.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n", encoding="utf-8")
