"""Find the origins of triples, and give numbers to new origins.

An origin is a file, and also a run if the file is ingested with a run.
"""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from provhouse.model.columns import FILE, ORIGIN, RUN
from provhouse.model.errors import NotFound
from provhouse.store.tables.snapshot import Snapshot


@dataclass(frozen=True)
class Origin:
    """A file, within a run or outside of all runs.

    A file that is ingested again for the same run keeps its origin.
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


def origins_of_run(snapshot: Snapshot, run: str) -> list[Origin]:
    """Return the origins of a run; raise NotFound if there are none."""
    everything = stored_origins(snapshot)
    found = [origin for origin in everything if origin.run == run]
    others = sorted({origin.run for origin in everything if origin.run})
    return found or _none(f"the run {run!r}", "run", others)


def origins_of_file(snapshot: Snapshot, file: Path) -> list[Origin]:
    """Return the origins of a file, or of all files below a folder, in any run.

    Raises NotFound if there are none.
    """
    everything, path = stored_origins(snapshot), os.path.abspath(file)
    below, named = os.path.join(path, ""), (path, str(file))
    found = [one for one in everything if one.file in named or one.file.startswith(below)]
    return found or _none(f"the file {path}", "file", sorted({one.file for one in everything}))


def _none(what: str, kind: str, others: Sequence[str]) -> list[Origin]:
    raise NotFound(
        f"No stored triple comes from {what}",
        f"The stored triples come from {len(others):,} other {kind}{'s' * (len(others) != 1)}",
        f"The first one is {others[0]!r}" if others else "No ingest was given a name",
    )


def origins_of(
    files: Sequence[str], run: str | None, before: Iterable[Origin], free: int
) -> list[Origin]:
    """Return each file's origin: the stored one, or else a new one, numbered from ``free`` on.

    ``files`` are absolute paths and labels, like ``Origin.file``.
    """
    numbers = {(origin.run, origin.file): origin.number for origin in before}
    found = []
    for file in files:
        number = numbers.setdefault((run, file), free)
        free = max(free, number + 1)
        found.append(Origin(number, run, file))
    return found


def origin_rows(origins: Iterable[Origin]) -> pa.Table:
    """Return distinct rows for the table ``origins``, but without the column ``ingest``."""
    rows = [{ORIGIN: o.number, RUN: o.run, FILE: o.file} for o in dict.fromkeys(origins)]
    form = pa.schema([(ORIGIN, pa.int32()), (RUN, pa.string()), (FILE, pa.string())])
    return pa.Table.from_pylist(rows, form)
