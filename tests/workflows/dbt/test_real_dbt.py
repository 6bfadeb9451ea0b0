"""Real dbt writes the stored targets; its ``state:modified+`` agrees with our rule."""

import json
import re
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest

from helpers.dbt_edits import base_manifest
from helpers.dbt_history import manifest_of
from helpers.dbt_runs import install_dbt
from helpers.dbt_shop import (
    EDITS,
    TARGETS,
    build,
    keep_target,
    plain_manifest,
    run_dbt,
    write_project,
)  # fmt: skip
from helpers.edit_history import history
from provhouse.workflows.dbt.reuse_plan import reuse_plan

pytestmark = pytest.mark.long
SELECT = ("ls", "--select", "state:modified+", "--output", "name", "--state")
KINDS = ("--resource-type", "model", "--resource-type", "seed", "--resource-type", "snapshot")
UNBUILT = {"paid_orders"}


@pytest.fixture(scope="module", autouse=True)
def _dbt() -> None:
    """Install dbt into a separate environment, with the versions in the lock file."""
    install_dbt()


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project, built by dbt."""
    folder = tmp_path_factory.mktemp("dbt") / "project"
    write_project(folder, {})
    build(folder)
    return folder


def _edited(base: Path, folder: Path, edit: Mapping[str, str]) -> Path:
    """Return a copy of a built project with an edit, compiled by dbt."""
    shutil.copytree(base, folder)
    for name in ("catalog.json", "run_results.json"):
        (folder / "target" / name).unlink()
    write_project(folder, edit)
    run_dbt(folder, "compile")
    return folder


def test_the_stored_base_is_what_dbt_writes(base: Path, tmp_path: Path) -> None:
    keep_target(base / "target", tmp_path)
    for name in ("manifest.json", "catalog.json", "run_results.json"):
        assert (tmp_path / name).read_text() == (TARGETS / "base" / name).read_text()


@pytest.mark.parametrize("name", EDITS)
def test_the_stored_edits_are_what_dbt_writes(name: str, base: Path, tmp_path: Path) -> None:
    folder = _edited(base, tmp_path / "edit", EDITS[name])
    keep_target(folder / "target", tmp_path / "kept")
    stored = (TARGETS / name / "manifest.json").read_text(encoding="utf-8")
    assert (tmp_path / "kept/manifest.json").read_text(encoding="utf-8") == stored
    plan = reuse_plan(folder / "target", base / "target")
    listed = run_dbt(folder, *SELECT, str(base / "target"), *KINDS).split()
    assert {node.split(".")[2] for node in plan.modified} == {*listed} - UNBUILT


def test_the_manifests_of_the_history_are_as_dbt_writes_them(base: Path, tmp_path: Path) -> None:
    step = list(history(steps=3))[-1]
    folder = tmp_path / "history"
    shutil.copytree(base, folder)
    for part in ("models", "snapshots", "seeds"):
        shutil.rmtree(folder / part)
    for path, text in step.files()[1].items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    tables = [{"name": each} for each in {t for m in step.after for t in m.reads if "raw_" in t}]
    sources = {"version": 2, "sources": [{"name": "raw", "tables": tables}]}
    (folder / "models/sources.yml").write_text(json.dumps(sources), encoding="utf-8")
    run_dbt(folder, "compile")
    written = plain_manifest(json.loads((folder / "target/manifest.json").read_text()))
    made = manifest_of(step.after)
    for id_, node in made["nodes"].items():
        real = written["nodes"][id_]
        for part in ("raw_code", "compiled_code"):
            assert _without_schemas(real[part]) == _without_schemas(node[part]), id_
        assert {*real["depends_on"]["nodes"]} == {*node["depends_on"]["nodes"]}
    assert base_manifest()["metadata"] == written["metadata"]


def _without_schemas(text: str) -> str:
    """Return SQL without the schema names of tables."""
    return re.sub(r'"shop"\."\w+"\.', "", text).strip()
