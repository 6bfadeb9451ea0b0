"""The commit record: which generation is current and what it shows.

``commits/N.json`` is the last thing a writer writes, and nothing else decides what is current. It
is linked into place, so that a record appears whole and never replaces another.
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
"""Since 2 a generation may show deaths, which whoever knows only 1 would overlook.

A record of 1 is one of 2 that shows none, so that both are read alike.
"""


@dataclass(frozen=True)
class Totals:
    """What a generation holds."""

    triples: int = 0
    items: int = 0
    components: int = 0
    sets: int = 0
    set_dependencies: int = 0
    partitions: int = 0


@dataclass(frozen=True)
class Commit:
    """One generation: the base, the ingests that are visible, and each table's Delta version."""

    base: int
    generation: int
    commit: str
    """Random; Neo4j holds a Load node with it once it has all that this generation needs."""
    time: str
    visible: tuple[tuple[int, int], ...]
    """Ranges of ingests, first and last, in order."""
    tables: dict[str, int]
    totals: Totals
    rolls_back_to: int | None = None
    """The generation whose content a rollback brings back; 0 is the time before all."""
    format: int = FORMAT


def write_commit(layout: Layout, commit: Commit) -> None:
    """Make a generation current, in today's format; raises Busy if another took number or lock."""
    make_folder(layout.commits)
    record = asdict(replace(commit, format=FORMAT))
    path = _path(layout, commit.generation)
    write_record(layout, path, record, lambda: reach("record aside"), write_new)


def generations(layout: Layout) -> list[int]:
    """The numbers of all committed generations, in order."""
    try:
        return sorted(int(f.stem) for f in layout.commits.iterdir() if f.stem.isdigit())
    except (FileNotFoundError, NotADirectoryError):
        return []


def read_commit(layout: Layout, generation: int) -> Commit:
    """One generation's record.

    Raises Damaged if it is unreadable, Unavailable if it is of a newer format, NotFound if it was
    pruned since it was listed.
    """
    path = _path(layout, generation)
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        if record["format"] > FORMAT:
            raise Unavailable(
                f"The warehouse {layout.root} should be of format {FORMAT}, which this one reads",
                f"Generation {generation} is of format {record['format']}",
                "Install a newer provhouse; nothing was changed",
            )
        record["visible"] = tuple((first, last) for first, last in record["visible"])
        return Commit(**{**record, "totals": Totals(**record["totals"])})
    except FileNotFoundError as error:
        raise NotFound(
            f"Generation {generation} should be one that is kept",
            "It was pruned",
            "`provhouse generations` lists them all",
        ) from error
    except (ValueError, TypeError, KeyError) as error:
        raise Damaged(
            f"A commit record of format {FORMAT} should be in {path}",
            f"It cannot be read: {error!r}",
            "Bring the file back from a backup",
        ) from error


def drop_commits(layout: Layout, through: int) -> None:
    """Remove the records up to a generation, the oldest first; the current one always stays."""
    pruned = [number for number in generations(layout)[:-1] if number <= through]
    check_lock(layout)
    for number in pruned:
        _path(layout, number).unlink()
        reach("record dropped")
    if pruned:
        sync_folder(layout.commits)


def current(layout: Layout) -> Commit | None:
    """The highest generation, or None where nothing was ever committed."""
    numbers = generations(layout)
    return read_commit(layout, numbers[-1]) if numbers else None


def require_current(layout: Layout) -> Commit:
    """Return the current generation; raise NotFound if nothing was ever ingested."""
    commit = current(layout)
    if commit is None:
        raise nothing_stored(layout)
    return commit


def nothing_stored(layout: Layout) -> NotFound:
    """Return the error for a warehouse whose current generation, if there is one, is empty."""
    numbers = generations(layout)
    return NotFound(
        f"The warehouse {layout.root} is empty",
        f"Its generation {numbers[-1]} has no triples" if numbers else "Nothing was ingested yet",
        "Run `provhouse ingest FILES`, or choose another warehouse with --warehouse",
    )


def with_ingest(visible: tuple[tuple[int, int], ...], ingest: int) -> tuple[tuple[int, int], ...]:
    """The visible ranges with one more ingest, a higher one than all of them."""
    if visible and visible[-1][1] == ingest - 1:
        return (*visible[:-1], (visible[-1][0], ingest))
    return (*visible, (ingest, ingest))


def _path(layout: Layout, generation: int) -> Path:
    return layout.commits / f"{generation}.json"
