"""Records that a batch reads from Kafka are items, named by topic, partition and offset.

The broker is real. The topic is filled so that each record's partition and offset are known from
its value. Long tests.
"""

import json
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from helpers import kafka_blocks
from helpers.kafka import client_jars, kafka
from helpers.kafka_blocks import COUNT
from helpers.warehouse import House

pytestmark = [pytest.mark.long, pytest.mark.timeout(1800)]


@dataclass(frozen=True)
class Done:
    """The folder of the blocks, and what was refused in them."""

    folder: Path
    refused: Mapping[str, str]


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Done:
    """Run all blocks in one session."""
    folder = tmp_path_factory.mktemp("kafka")
    with kafka(folder / "broker") as broker:
        run = subprocess.run(
            [sys.executable, kafka_blocks.__file__, folder, broker, client_jars()],
            cwd=folder,
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
    return Done(folder, json.loads(run.stdout.splitlines()[-1]))


def records(numbers: Iterable[int]) -> set[str]:
    """Return the items of the records with these values."""
    return {f"orders/{n % 2}/{n // 2}" for n in numbers}


def test_rows_derive_from_their_records(done: Done, houses: Callable[..., House]) -> None:
    with houses().open() as warehouse:
        warehouse.ingest_captured(done.folder / "landing")

        def lineage(item: str) -> set[str]:
            return {each.item for each in warehouse.lineage(item).items}

        for rest in range(4):
            assert lineage(f"totals/{rest}") == records(range(rest, COUNT, 4)) - records([0, 1])
        later = [n for n in range(COUNT) if n // 2 >= 2 + n % 2]
        for n in later:
            assert lineage(f"later/{n}") == records([n])
        assert sorted(pq.read_table(done.folder / "later")["n"].to_pylist()) == later
        for n in range(COUNT):
            if n % 3:  # other keys are NULL
                assert lineage(f"both/{n}") == records(range(n % 3, COUNT, 3))


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("several", "only one topic in the option subscribe"),
        ("pattern", "only one topic in the option subscribe"),
        ("write", "It writes as kafka"),
        ("stream", "its rows are not in files"),
    ],
)
def test_what_is_not_covered_is_refused_before_it_changes_anything(
    name: str, reason: str, done: Done
) -> None:
    assert reason in done.refused.get(name, "not refused")
    assert done.refused["count"] == str(COUNT)
    assert not (done.folder / name).exists()
