"""What is said of a generation while it is made: its commit record and its row of ``ingests``."""

import secrets
from dataclasses import replace
from datetime import UTC, datetime

import pyarrow as pa

from provhouse.model.columns import TABLES
from provhouse.store.warehouse.commits import Commit, with_ingest
from provhouse.store.warehouse.ids import Ids

_COUNTED = ("items", "partitions", "triples", "duplicates", "rejected", "two_tables")


def next_commit(shown: Commit, ids: Ids) -> Commit:
    """The record of a new generation that shows what another does."""
    return replace(
        shown,
        generation=ids.generation,
        commit=secrets.token_hex(16),
        time=datetime.now(UTC).isoformat(timespec="seconds"),
    )


def commit_with_ingest(before: Commit, ids: Ids, rolls_back_to: int | None) -> Commit:
    """The record of one that shows an ingest more; versions and totals are still to come."""
    visible = with_ingest(before.visible, ids.ingest)
    return replace(next_commit(before, ids), visible=visible, rolls_back_to=rolls_back_to)


def ingest_row(commit: Commit, ids: Ids, **values: object) -> pa.Table:
    """The ingest's row, where all that is not among ``values`` is nothing."""
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
