"""Commit records: which generation is current and what it shows.

``commits/N.json`` is the last file that a writer writes, and nothing else decides which generation
is current. It is linked into place, so a record appears whole and never replaces another
record.
"""

import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from provhouse.model.errors import Damaged, NotFound, Unavailable
from provhouse.model.faults import reach
from provhouse.runtime.files import make_folder, sync_folder, write_new

from .layout import Layout
from .locks import check_lock
from .records import write_record

FORMAT = 2
"""The format of new records.

Generations of format 2 may show deaths, which a reader of format 1 would overlook. A record of
format 1 is read as one of format 2 without deaths.
"""


@dataclass(frozen=True)
class Totals:
    """The counts of what one generation shows."""

    triples: int = 0
    items: int = 0
    components: int = 0
    sets: int = 0
    set_dependencies: int = 0
    partitions: int = 0


@dataclass(frozen=True)
class Commit:
    """One generation: its base, the visible ingests, and the Delta version of each table."""

    base: int
    generation: int
    commit: str
    """A random id. Once Neo4j has all that the generation needs, it has a Load node with the id."""
    time: str
    visible: tuple[tuple[int, int], ...]
    """Ranges of ingests as (first, last), in order."""
    tables: dict[str, int]
    totals: Totals
    rolls_back_to: int | None = None
    """The generation whose content a rollback restores; 0 is the empty warehouse."""
    format: int = FORMAT


def write_commit(layout: Layout, commit: Commit) -> None:
    """Make a generation current by writing its record in the current format.

    Raises Busy if another writer has taken the lock or the generation's number.
    """
    make_folder(layout.commits)
    record = asdict(replace(commit, format=FORMAT))
    path = _path(layout, commit.generation)
    write_record(layout, path, record, lambda: reach("record aside"), write_new)


def generations(layout: Layout) -> list[int]:
    """Return the numbers of all committed generations, in order."""
    try:
        return sorted(int(f.stem) for f in layout.commits.iterdir() if f.stem.isdigit())
    except (FileNotFoundError, NotADirectoryError):
        return []


def read_commit(layout: Layout, generation: int) -> Commit:
    """Return the record of one generation.

    Raises NotFound if it was pruned, Unavailable if its format is newer than this release, Damaged
    if it cannot be read.
    """
    path = _path(layout, generation)
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        if record["format"] > FORMAT:
            raise Unavailable(
                f"The warehouse {layout.root} was written by a newer provhouse",
                f"Generation {generation} has format {record['format']}; "
                f"this release reads formats up to {FORMAT}",
                "Install a newer provhouse; nothing was changed",
            )
        record["visible"] = tuple((first, last) for first, last in record["visible"])
        return Commit(**{**record, "totals": Totals(**record["totals"])})
    except FileNotFoundError as error:
        raise NotFound(
            f"Generation {generation} no longer exists",
            "It was pruned",
            "Run `provhouse generations` to list all generations",
        ) from error
    except (ValueError, TypeError, KeyError) as error:
        raise Damaged(
            f"Cannot read the commit record {path}",
            f"It is not a record of format {FORMAT}: {error!r}",
            "Restore the file from a backup",
        ) from error


def drop_commits(layout: Layout, through: int) -> None:
    """Remove the records up to a generation, oldest first; the current record always stays."""
    pruned = [number for number in generations(layout)[:-1] if number <= through]
    check_lock(layout)
    for number in pruned:
        _path(layout, number).unlink()
        reach("record dropped")
    if pruned:
        sync_folder(layout.commits)


def current(layout: Layout) -> Commit | None:
    """Return the record of the highest generation, or None if nothing was ever committed."""
    numbers = generations(layout)
    return read_commit(layout, numbers[-1]) if numbers else None


def require_current(layout: Layout) -> Commit:
    """Return the record of the current generation; raise NotFound if nothing was ever ingested."""
    commit = current(layout)
    if commit is None:
        raise nothing_stored(layout)
    return commit


def nothing_stored(layout: Layout) -> NotFound:
    """Return the error for a warehouse whose current generation is missing or empty."""
    numbers = generations(layout)
    return NotFound(
        f"The warehouse {layout.root} is empty",
        f"Its generation {numbers[-1]} has no triples" if numbers else "Nothing was ingested yet",
        "Run `provhouse ingest FILES`, or choose another warehouse with --warehouse",
    )


def with_ingest(visible: tuple[tuple[int, int], ...], ingest: int) -> tuple[tuple[int, int], ...]:
    """Add an ingest, whose number must be the highest, to ranges of visible ingests."""
    if visible and visible[-1][1] == ingest - 1:
        return (*visible[:-1], (visible[-1][0], ingest))
    return (*visible, (ingest, ingest))


def _path(layout: Layout, generation: int) -> Path:
    return layout.commits / f"{generation}.json"
