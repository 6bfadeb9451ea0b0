"""Projects that real dbt builds with `provhouse dbt`, and the triples of their runs."""

import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb

from helpers.dbt_shop import DBT, ROOT
from provhouse.interactive.dbt.child_process import DbtRun, run_dbt
from provhouse.interactive.dbt.kept_tables import KeptTables
from provhouse.interactive.dbt.project_lineage import BuiltProject, project_lineage
from provhouse.workflows.dbt.project import project

PROJECT = """
name: shop
version: "1.0"
profile: shop
flags: {send_anonymous_usage_stats: false}
models: {shop: {staging: {+materialized: view}, marts: {+materialized: table}}}
"""
PROFILE = (
    "shop: {target: dev, outputs: {dev: {type: duckdb, path: {folder}/shop.duckdb, threads: 1}}}\n"
)


def install_dbt() -> None:
    """Install dbt into a separate environment, with the versions in the lock file."""
    if not (DBT / "dbt").exists():
        uv = str(Path(sys.executable).with_name("uv"))
        subprocess.run([uv, "venv", "--quiet", "--allow-existing", str(DBT.parent)], check=True)
        install = [uv, "pip", "install", "--quiet", "--python", str(DBT / "python")]
        lock = ["--require-hashes", "--requirement", str(ROOT / "locks/dbt.lock")]
        subprocess.run([*install, *lock], check=True)


@dataclass
class DbtProject:
    """A project in a folder of its own."""

    root: Path

    @classmethod
    def write(cls, root: Path, files: Mapping[str, str]) -> "DbtProject":
        """Write the files of a project."""
        found = cls(root)
        profile = PROFILE.replace("{folder}", str(root))
        found.edit({"dbt_project.yml": PROJECT, "profiles.yml": profile, **files})
        return found

    def edit(self, files: Mapping[str, str]) -> None:
        """Write or replace some files."""
        for name, text in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    def sql(self, statement: str) -> list[Any]:
        """Run a statement in the database of the project, and return its rows."""
        with duckdb.connect(self.root / "shop.duckdb") as con:
            return con.execute(statement).fetchall()

    def dbt(self, *arguments: str, status: int = 0) -> BuiltProject | None:
        """Run dbt with lineage, but do not ingest the lineage."""
        given = [*arguments, "--quiet", "--no-version-check", "--profiles-dir", str(self.root)]
        given += ["--project-dir", str(self.root)]
        with TemporaryDirectory() as aside, KeptTables(self.lineage) as kept:
            run = run_dbt(given, str(DBT / "dbt"), Path(aside))
            assert isinstance(run, DbtRun)
            assert run.status == status
            return project_lineage(run, project(run.target), kept, self.lineage)

    @property
    def lineage(self) -> Path:
        """The folder with the triples of all runs."""
        return self.root / "warehouse-dbt"

    def triples(self, run: int | None = None) -> list[tuple[str, str, str]]:
        """Return src, dst and op of the triples of one run, or of all runs."""
        files = "run-*.parquet" if run is None else f"run-{run:06d}.parquet"
        text = f"select src, dst, op from '{self.lineage / files}' order by all"
        return duckdb.execute(text).fetchall()

    def ended(self, run: int) -> list[str]:
        """Return the names of the rows that a run no longer built."""
        with KeptTables(self.lineage) as kept:
            names: list[str] = kept.ended(run).to_pylist()
            return names

    def sources(self, item: str) -> set[str]:
        """Return the items from which an item directly derives."""
        return {src for src, dst, _ in self.triples() if dst == item}


def refused(built: BuiltProject | None) -> dict[str, str]:
    """Return the reasons for which models were refused, by model name."""
    assert built is not None
    return {model.name: model.refused for model in built.models if model.refused}
