"""The script of docs/nightly.md ends with the statuses that the page lists."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from helpers.warehouse import House
from provhouse.store.tables.uncaptured import Uncaptured, note_uncaptured
from provhouse.store.warehouse.layout import Layout

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "examples" / "nightly" / "nightly.sh"
PAGE = (ROOT / "docs" / "nightly.md").read_text(encoding="utf-8")


def _night(*arguments: object, cwd: Path, **given: str) -> subprocess.CompletedProcess[str]:
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "WAIT": "1", **given}
    command = [str(SCRIPT), *map(str, arguments)]
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True)


def test_the_script_ends_with_the_status_of_the_ingest(tmp_path: Path) -> None:
    """With an empty folder, no process is started. By default, the folder is ``incoming``."""
    (tmp_path / "incoming").mkdir()
    done = _night(cwd=tmp_path, PROVHOUSE_WAREHOUSE=str(tmp_path / "w"))
    assert done.returncode == 4, done.stderr
    assert "incoming" in done.stderr
    assert "\n| 4 | an input file is invalid, or the folder is empty" in PAGE


@pytest.mark.long
def test_a_night(houses: Callable[..., House], tmp_path: Path) -> None:
    """Files are ingested. A broken file and missing lineage each have a separate exit status."""
    settings = houses(spark_memory="1g").settings
    given = {
        "PROVHOUSE_WAREHOUSE": str(settings.warehouse),
        "PROVHOUSE_NEO4J_HOME": str(settings.neo4j_home),
        "PROVHOUSE_SPARK_MEMORY": "1g",
    }
    (tmp_path / "a.csv").write_text("src,dst\na,b\n")
    done = _night(tmp_path, "night 1", cwd=tmp_path, **given)
    assert done.returncode == 0, done.stderr
    refused = Uncaptured("orders", "nightly", "2026-03-31T02:00:00+00:00", "a limit")
    note_uncaptured(Layout(settings.warehouse), [refused])
    done = _night(tmp_path, "night 1", cwd=tmp_path, **given)
    assert done.returncode == 8, done.stderr
    assert "not captured: orders a limit" in done.stderr
    (tmp_path / "b.csv").write_text("nothing\n")
    assert _night(tmp_path, "night 1", cwd=tmp_path, **given).returncode == 4
