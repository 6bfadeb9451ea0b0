"""Make the commit record of a new generation, and its ingest's row in the table ``ingests``."""

import secrets
from dataclasses import replace
from datetime import UTC, datetime

import pyarrow as pa

from provhouse.model.columns import TABLES
from provhouse.store.warehouse.commits import Commit, with_ingest
from provhouse.store.warehouse.ids import Ids

_COUNTED = ("items", "partitions", "triples", "duplicates", "rejected", "two_tables", "derived")


def next_commit(shown: Commit, ids: Ids) -> Commit:
    """Return the record of a new generation that has the contents of the generation ``shown``."""
    return replace(
        shown,
        generation=ids.generation,
        commit=secrets.token_hex(16),
        time=datetime.now(UTC).isoformat(timespec="seconds"),
    )


def commit_with_ingest(before: Commit, ids: Ids, rolls_back_to: int | None) -> Commit:
    """Return the record of a new generation that shows one more ingest.

    The caller must still set the record's table versions and totals.
    """
    visible = with_ingest(before.visible, ids.ingest)
    return replace(next_commit(before, ids), visible=visible, rolls_back_to=rolls_back_to)


def ingest_row(commit: Commit, ids: Ids, **values: object) -> pa.Table:
    """Return an ingest's row for the table ``ingests``. Counts that ``values`` lacks are 0."""
    row = {
        **dict.fromkeys(_COUNTED, 0),
        "ingest": ids.ingest,
        "born": ids.generation,
        "time": commit.time,
        "files": [],
        "first_item": ids.item,
        "first_partition": ids.partition,
    }
    return pa.Table.from_pylist([row | values], TABLES["ingests"])
