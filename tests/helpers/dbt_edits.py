"""Edits of the shop's stored target, as dbt would write them: SQL and configs of models."""

import copy
import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from helpers.dbt_shop import TARGETS
from provhouse.workflows.dbt.reuse_plan import ReusePlan, reuse_plan

Manifest = dict[str, Any]
BASE = TARGETS / "base"
CALL = re.compile(r"\{\{\s*(ref|source)\(([^)]*)\)\s*\}\}")


def base_manifest() -> Manifest:
    """Return the manifest of the shop."""
    return dict(json.loads((BASE / "manifest.json").read_text(encoding="utf-8")))


def with_sql(manifest: Manifest, edit: Mapping[str, str]) -> Manifest:
    """Return a manifest with new SQL for some models; this SQL calls only ref and source."""
    made = copy.deepcopy(manifest)
    for name, text in edit.items():
        node = made["nodes"][f"model.shop.{name}"]
        compiled, needs = compiled_sql(made, text)
        node |= {"raw_code": text, "compiled_code": compiled}
        node["depends_on"] = {"macros": [], "nodes": needs}
    return made


def compiled_sql(manifest: Manifest, text: str) -> tuple[str, list[str]]:
    """Return SQL with table names in place of ref and source, and the nodes that the SQL reads."""
    needs: list[str] = []

    def relation(call: re.Match[str]) -> str:
        arguments = [each.strip(" '\"") for each in call[2].split(",")]
        if call[1] == "source":
            found = manifest["sources"][f"source.shop.{'.'.join(arguments)}"]
        else:
            ids = (f"{kind}.shop.{arguments[-1]}" for kind in ("model", "seed", "snapshot"))
            found = next(manifest["nodes"][id_] for id_ in ids if id_ in manifest["nodes"])
        needs.append(found["unique_id"])
        return str(found["relation_name"])

    return CALL.sub(relation, text), needs


def plan_of(
    folder: Path,
    manifest: Manifest,
    base: Manifest | None = None,
    results: Mapping[str, str] | None = None,
) -> ReusePlan:
    """Return the plan for a manifest, compared with another one (by default, the built shop's).

    ``results`` are the statuses of tests in the run of the edit.
    """
    target, before = folder / "target", BASE
    write_target(target, manifest)
    if base is not None:
        before = folder / "base"
        write_target(before, base)
        for name in ("catalog.json", "run_results.json"):
            (before / name).write_bytes((BASE / name).read_bytes())
    if results:
        found = json.loads((BASE / "run_results.json").read_text(encoding="utf-8"))
        rows = [{"unique_id": test, "status": status} for test, status in results.items()]
        text = json.dumps(found | {"results": rows})
        (target / "run_results.json").write_text(text, encoding="utf-8")
    return reuse_plan(target, before)


def write_target(target: Path, manifest: Manifest) -> None:
    """Write a manifest to a folder."""
    target.mkdir(exist_ok=True)
    (target / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")


def changed(manifest: Manifest, node: str, change: Callable[[Any], None]) -> Manifest:
    """Return a manifest in which one node is changed."""
    made = copy.deepcopy(manifest)
    change(made["nodes"][node])
    return made
