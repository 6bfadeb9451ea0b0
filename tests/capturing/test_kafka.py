"""Records that a batch reads from Kafka are items, named by topic, partition and offset.

The broker is real. The topic is filled so that each record's partition and offset are known from
its value. Long tests.
"""

import json
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from helpers import kafka_blocks
from helpers.kafka import client_jars, kafka
from helpers.kafka_blocks import CLICKS, COUNT
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


def records(numbers: Iterable[int], topic: str = "orders") -> set[str]:
    """Return the items of a topic's records with these numbers."""
    return {f"{topic}/{n % 2}/{n // 2}" for n in numbers}


@pytest.fixture(scope="module")
def lineage(done: Done, houses: Callable[..., House]) -> Iterator[Callable[[str], set[str]]]:
    """A function that returns the records of an item's lineage."""
    with houses().open() as warehouse:
        warehouse.ingest_captured(done.folder / "landing")
        yield lambda item: {each.item for each in warehouse.lineage(item).items}


def test_rows_derive_from_their_records(done: Done, lineage: Callable[[str], set[str]]) -> None:
    for rest in range(4):
        assert lineage(f"totals/{rest}") == records(range(rest, COUNT, 4)) - records([0, 1])
    later = [n for n in range(COUNT) if n // 2 >= 2 + n % 2]
    for n in later:
        assert lineage(f"later/{n}") == records([n])
    assert sorted(pq.read_table(done.folder / "later")["n"].to_pylist()) == later
    for n in range(COUNT):
        if n % 3:  # other keys are NULL
            assert lineage(f"both/{n}") == records(range(n % 3, COUNT, 3))


def test_each_of_several_topics_is_a_table(done: Done, lineage: Callable[[str], set[str]]) -> None:
    for n in range(COUNT):
        assert lineage(f"several/{n}") == records([n])
        assert lineage(f"several/{n + COUNT}") == records([n], "others")
    for rest in range(4):
        others = [n for n in range(COUNT) if (n + COUNT) % 4 == rest]
        expected = records(range(rest, COUNT, 4)) | records(others, "others")
        assert lineage(f"mixed/{rest}") == expected
    assigned = sorted(pq.read_table(done.folder / "assigned")["n"].to_pylist())
    assert assigned == list(range(1, COUNT, 2))
    for n in assigned:
        assert lineage(f"assigned/{n}") == records([n])


def test_rows_of_a_stream_derive_from_the_records_of_their_batch(
    done: Done, lineage: Callable[[str], set[str]]
) -> None:
    """The stream ends and goes on in another block, after records were added."""
    kept = pq.read_table(done.folder / "kept", columns=["n", "batch"]).to_pylist()
    assert sorted(row["n"] for row in kept) == list(range(CLICKS))
    batches = defaultdict[int, list[int]](list)
    for row in kept:
        batches[row["batch"]].append(row["n"])
        assert lineage(f"kept/{row['n']}") == records([row["n"]], "clicks")
    assert len(batches) > 2
    for batch, numbers in batches.items():
        for rest in {n % 3 for n in numbers}:
            expected = records([n for n in numbers if n % 3 == rest], "clicks")
            assert lineage(f"sums/{batch}/{rest}") == expected


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("pattern", "read by a pattern"),
        ("pattern of a stream", "read by a pattern"),
        ("key", "The declared key timestamp cannot name the records of the topic orders"),
        ("write", "It writes as kafka"),
    ],
)
def test_what_is_not_covered_is_refused_before_it_changes_anything(
    name: str, reason: str, done: Done
) -> None:
    assert reason in done.refused.get(name, "not refused")
    assert done.refused["count"] == str(COUNT)
    assert not (done.folder / name).exists()
