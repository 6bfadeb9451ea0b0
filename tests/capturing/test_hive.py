"""Tables of a Hive metastore: Spark reads and writes Parquet and ORC itself, so their rows are rows
of files; tables that Hive's own classes read or write are refused by name. Long tests.
"""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from helpers import hive_blocks
from helpers.warehouse import House

pytestmark = [pytest.mark.long, pytest.mark.timeout(1800)]
SERDE = "by Hive's own classes (org.apache.hadoop.hive.serde2.lazy.LazySimpleSerDe)"
LINEAGE = {
    "totals/ann": {"orders/1", "orders/3"},
    "totals/bob": {"orders/2", "orders/5"},
    **{f"days/{n}": {f"orders/{n}"} for n in range(1, 6)},
    "copied/1": {"days/1", "totals/ann", "orders/1", "orders/3"},
    "copied/3": {"days/3", "totals/ann", "orders/1", "orders/3"},
    "copied/5": {"days/5", "totals/bob", "orders/2", "orders/5"},
    **{f"kept/{n}": {f"orders/{n}"} for n in (3, 4, 5)},
}
"""The complete lineage of each written row, without versions."""


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """Run all blocks in one session; return their folder, and what was refused."""
    folder = tmp_path_factory.mktemp("hive")
    run = subprocess.run(
        [sys.executable, hive_blocks.__file__, folder],
        cwd=folder,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return folder, json.loads(run.stdout.splitlines()[-1])


def test_rows_of_parquet_and_orc_derive_from_rows_of_files(
    done: tuple[Path, dict[str, Any]], houses: Callable[..., House]
) -> None:
    folder, found = done
    assert found["copied"] == [[1, 5], [3, 5], [5, 6]]
    with houses().open() as warehouse:
        warehouse.ingest_captured(folder / "landing")
        for item, expected in LINEAGE.items():
            items = {each.item.partition("@")[0] for each in warehouse.lineage(item).items}
            assert items == expected, item


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("read", f"It reads the Hive table written_as_text {SERDE}"),
        ("write", f"It writes the Hive table written_as_text {SERDE}"),
        ("create", "It writes the Hive table new_text by Hive's own classes"),
    ],
)
def test_tables_of_hives_own_classes_are_refused_by_name(
    name: str, reason: str, done: tuple[Path, dict[str, Any]]
) -> None:
    _, found = done
    assert reason in found.get(name, "not refused")
    assert found["rows"] == 1
