"""Commit records, which define the current generation and its content.

A writer writes ``commits/N.json`` last, and only this file determines which generation is current.
The file is linked into place, so a record appears complete and never replaces another record.
"""

import json
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from provhouse.model.errors import Damaged, NotFound, Unavailable
from provhouse.model.fault_points import reach
from provhouse.model.naming import Naming
from provhouse.model.patterns import Pattern
from provhouse.runtime.files import make_folder, sync_folder, write_new

from .json_records import write_record
from .layout import Layout
from .locks import check_lock

FORMAT = 10
"""The format of new records.

- Format 2 may include deaths, which a reader of format 1 would overlook.
- Format 3 may have triples with derivations.
- Format 4 may have groups, which a reader of format 3 would show as items, and row ids with
  patterns.
- Format 5 may have items that are stored as row ids only, without names.
- Format 6 may have look-ups of row ids that a reader of format 5 cannot decode.
- Format 7 may have tables with the rows of several ingests in one file; all tables have such files
  from generation ``MERGED`` on.
- Format 8 may have registered tables, which a reader of format 7 would look for in other folders.
- Format 9 may have the tables ``kept`` and ``ended``, which a reader of format 8 would overlook: it
  would give copied rows a wrong version, and deleted rows no end.
- Format 10 may have look-ups of names with parts of hashes, which a reader of format 9 would not
  find.

A record of an earlier format is read as a record of format 10 that lacks these features.
"""
REGISTERED = 8
"""The first format whose warehouses may have registered tables."""
MERGED = 8
"""The number of ingests whose files of a small table are merged into one file."""
GROUPS = "groups"
"""The name of the table that only warehouses with groups have."""


@dataclass(frozen=True)
class Totals:
    """The numbers of triples, items, sets and other objects that one generation shows."""

    triples: int = 0
    items: int = 0
    components: int = 0
    sets: int = 0
    set_dependencies: int = 0
    partitions: int = 0


@dataclass(frozen=True)
class Beyond:
    """The number of triples that shared derivations represent, minus the triples stored for them.

    A derivation of n inputs that m dst share is stored as n + m triples, and represents n times m
    triples.
    """

    total: int = 0
    new: int = 0
    """The increase of the total by the new triples of this generation."""
    ended: int = 0
    """The decrease of the total by the triples that end in this generation."""


@dataclass(frozen=True)
class Commit:
    """One generation: its base, the visible ingests, and the Delta version of each table."""

    base: int
    generation: int
    commit: str
    """A random id of the commit.

    If Neo4j contains a Load node with this id, it contains everything that the generation needs.
    """
    time: str
    visible: tuple[tuple[int, int], ...]
    """The visible ingests, as ranges (first, last) in order."""
    tables: dict[str, int]
    totals: Totals
    rolls_back_to: int | None = None
    """The generation whose content a rollback has restored; 0 is the empty warehouse."""
    naming: Naming = "global"
    """The naming scheme of the items.

    Records without this field are from releases in which the naming could not be chosen, and mean
    ``global``.
    """
    format: int = FORMAT
    theta: int | None = None
    """The theta of the last ingest or compaction; earlier releases did not record it."""
    patterns: dict[str, Pattern] = field(default_factory=dict)
    """The patterns of all tables whose row ids are names, by table."""
    beyond: Beyond = Beyond()
    """The number of triples that groups represent, minus the triples that are stored for groups.

    Only records of generations with groups have this field.
    """

    @property
    def triples(self) -> int:
        """The number of live triples, if each shared derivation is expanded to single triples."""
        return self.totals.triples + self.beyond.total


def write_commit(layout: Layout, commit: Commit) -> None:
    """Make a generation current by writing its record.

    Raises Busy if another writer has taken the lock or the generation's number.
    """
    make_folder(layout.commits)
    record = asdict(replace(commit, format=FORMAT))
    if GROUPS not in commit.tables:
        del record["beyond"]
    if not commit.patterns:
        del record["patterns"]
    path = _path(layout, commit.generation)
    write_record(layout, path, record, lambda: reach("record aside"), write_new)


def raise_format(layout: Layout) -> None:
    """Give the current record the newest format, so that earlier releases refuse the warehouse.

    Writers that store something new without making a generation call this first. Raises Busy if
    another writer has taken the lock.
    """
    commit = current(layout)
    if commit and commit.format < FORMAT:
        path = _path(layout, commit.generation)
        record = json.loads(path.read_text(encoding="utf-8")) | {"format": FORMAT}
        write_record(layout, path, record, lambda: reach("record aside"))


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
        record["beyond"] = Beyond(**record.get("beyond", {}))
        patterns = {table: Pattern(**each) for table, each in record.pop("patterns", {}).items()}
        return Commit(**{**record, "totals": Totals(**record["totals"]), "patterns": patterns})
    except FileNotFoundError as error:
        raise NotFound(
            f"Generation {generation} no longer exists",
            "It was pruned",
            "Run `provhouse list generations` to list all generations",
        ) from error
    except (ValueError, TypeError, KeyError) as error:
        raise Damaged(
            f"Cannot read the commit record {path}",
            f"It is not a record of format {FORMAT}: {error!r}",
            "Restore the file from a backup",
        ) from error


def drop_commits(layout: Layout, through: int) -> None:
    """Remove the records up to a generation, oldest first; the current record is always kept."""
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


def require_current(layout: Layout, *, visible: bool = False) -> Commit:
    """Return the record of the current generation; raise NotFound if nothing was ever ingested.

    With ``visible``, also raise NotFound if the generation shows no ingest.
    """
    commit = current(layout)
    if commit is None or (visible and not commit.visible):
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
    """Add an ingest, whose number is the highest, to the visible ingests; return them as ranges."""
    if visible and visible[-1][1] == ingest - 1:
        return (*visible[:-1], (visible[-1][0], ingest))
    return (*visible, (ingest, ingest))


def _path(layout: Layout, generation: int) -> Path:
    return layout.commits / f"{generation}.json"
