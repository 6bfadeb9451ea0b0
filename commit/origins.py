"""Find the origins of triples and give numbers to new origins.

An origin is a file and, if the ingest run that brought the file has a name, that run.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import pyarrow as pa

from provhouse.model.columns import FILE, ORIGIN, RUN
from provhouse.store.tables.snapshot import Snapshot


@dataclass(frozen=True)
class Origin:
    """A file, within a run or outside of all runs.

    If the file is ingested again for the same run, its origin is the same.
    """

    number: int
    run: str | None
    file: str
    """The absolute path of the file, or the label of rows that a program passed."""


def stored_origins(snapshot: Snapshot) -> list[Origin]:
    """Return the distinct origins of all visible ingests, in order."""
    rows = snapshot.rows("origins", [ORIGIN, RUN, FILE]).select([ORIGIN, RUN, FILE])
    found = {Origin(*row.values()) for row in rows.to_pylist()}
    return sorted(found, key=lambda origin: origin.number)


def origins_of(
    files: Sequence[str], run: str | None, before: Iterable[Origin], free: int
) -> list[Origin]:
    """Return the origin of each file: a stored origin, or a new one, numbered from ``free`` on.

    ``files`` are absolute paths and labels, as ``Origin.file``.
    """
    numbers = {(origin.run, origin.file): origin.number for origin in before}
    found = []
    for file in files:
        number = numbers.setdefault((run, file), free)
        free = max(free, number + 1)
        found.append(Origin(number, run, file))
    return found


def origin_rows(origins: Iterable[Origin]) -> pa.Table:
    """Return distinct rows of the table ``origins``, without the column ``ingest``."""
    rows = [{ORIGIN: o.number, RUN: o.run, FILE: o.file} for o in dict.fromkeys(origins)]
    form = pa.schema([(ORIGIN, pa.int32()), (RUN, pa.string()), (FILE, pa.string())])
    return pa.Table.from_pylist(rows, form)
