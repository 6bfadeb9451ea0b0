"""Descriptions of ops: written to files, merged in Python, and read from a warehouse."""

import csv
from collections.abc import Iterable
from pathlib import Path
from random import Random
from typing import NamedTuple

from provhouse.model.columns import BORN
from provhouse.model.derivations import KINDS
from provhouse.model.operations import FUNCTIONS, LEVELS
from provhouse.query.as_of import commit_as_of
from provhouse.store.tables.operations import operations_of
from provhouse.store.tables.snapshot import Snapshot
from provhouse.store.warehouse.layout import Layout


class Operation(NamedTuple):
    """A row in a file of descriptions. An empty string stands for a missing value."""

    op: str
    kind: str = ""
    function: str = ""
    module: str = ""
    sql: str = ""
    job: str = ""
    place: str = ""
    exactness: str = ""

    @property
    def is_empty(self) -> bool:
        """Whether the description contains no facts about the op."""
        return not any(self[1:])


def random_operations(seed: int, ops: Iterable[str] = "abcdefg") -> list[Operation]:
    """Return one description for each of the given ops. Some descriptions are empty."""
    random = Random(seed)

    def one(op: str) -> Operation:
        module, sql, job, place = (
            random.choice(["", f"{name} {seed}"]) for name in ("m", "SELECT 1\n--", "j", "f:")
        )
        kind, function, level = (
            random.choice(["", *values]) for values in (KINDS, FUNCTIONS, LEVELS)
        )
        described = Operation(op, kind, function, module, sql, job, place, level)
        return random.choice([described, described, described, Operation(op)])

    return [one(op) for op in ops if random.random() < 0.6]


def write_operations(path: Path, rows: Iterable[Operation]) -> Path:
    """Write descriptions to a CSV file, and return the path of the file."""
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([Operation._fields, *rows])
    return path


class Born(NamedTuple):
    """A description, and the generation that added it."""

    operation: Operation
    generation: int


def newest(shown: dict[str, Born], given: Iterable[Operation], generation: int) -> dict[str, Born]:
    """Return the descriptions after an ingest of ``given``.

    A given description replaces a different one of the same op; an empty one removes it.
    """
    after = dict(shown)
    for each in given:
        if each.is_empty:
            after.pop(each.op, None)
        elif each.op not in shown or shown[each.op].operation != each:
            after[each.op] = Born(each, generation)
    return after


def described(folder: Path, generation: int | None = None) -> dict[str, Born]:
    """Return the descriptions, by op, that a generation of the warehouse shows."""
    layout = Layout(folder)
    rows = operations_of(Snapshot(layout, commit_as_of(layout, generation))).to_pylist()
    found = {}
    for row in rows:
        born = row.pop(BORN)
        found[row["op"]] = Born(Operation(**{name: row[name] or "" for name in row}), born)
    assert len(found) == len(rows)
    assert [*found] == sorted(found)
    return found
