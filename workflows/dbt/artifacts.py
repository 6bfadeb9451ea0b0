"""Read the files that dbt writes to its target folder, in known versions only."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from provhouse.model.errors import BadInput

Json = Mapping[str, Any]
KNOWN = {"manifest": ("v12",), "run-results": ("v6",), "catalog": ("v1",)}
"""The supported versions of each kind of file."""


def manifest(target: Path) -> Json:
    """Return dbt's description of a project. Raises BadInput if it is missing or unsupported."""
    return _read(target / "manifest.json", "manifest", "Run `dbt compile`, and give its target")


def catalog(target: Path) -> Json | None:
    """Return the columns of a project's tables, or None if dbt has not written them."""
    path = target / "catalog.json"
    return _read(path, "catalog", "Run `dbt docs generate` again") if path.exists() else None


def run_results(target: Path) -> Json | None:
    """Return the results of dbt's last command, or None if there are none."""
    path = target / "run_results.json"
    return _read(path, "run-results", "Run `dbt build` again") if path.exists() else None


def _read(path: Path, kind: str, remedy: str) -> Json:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        schema = found["metadata"]["dbt_schema_version"]
    except (OSError, ValueError) as error:
        raise BadInput(f"Cannot read {path}", str(error), remedy) from error
    except (KeyError, TypeError) as error:
        raise BadInput(f"{path} is not a dbt {kind} file", "", remedy) from error
    if not str(schema).endswith(tuple(f"/{kind}/{version}.json" for version in KNOWN[kind])):
        raise BadInput(
            f"The version of {path} is not supported",
            f"It is {schema}",
            f"Use a dbt that writes {kind} {' or '.join(KNOWN[kind])}, such as dbt 1.11",
        )
    return dict(found)
