"""List the generations of a warehouse: the time, kind and counts of each change, and totals."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from provhouse.model.columns import BORN, DIED, INGEST, ITEMS, ROWS
from provhouse.store.tables.delta_tables import read_rows
from provhouse.store.warehouse.commits import Beyond, Commit, generations, read_commit
from provhouse.store.warehouse.layout import Layout

from ..as_of import commit_as_of

ChangeKind = Literal["ingest", "replace", "compact", "rollback", "retract"]
_FIRST_OF_BASE = "begins a base"
_COLUMNS = (BORN, "files", "triples", "items", "duplicates", "rejected")


@dataclass(frozen=True)
class Generation:
    """One commit, with its changes and totals.

    The counts up to ``ended`` are its changes; the counts after ``ended`` are totals.
    """

    generation: int
    time: str
    current: bool
    change: ChangeKind
    back_to: int | None
    """The generation that a rollback restores; 0 means the empty warehouse.

    It is None if the restored generation was pruned, or if the change is not a rollback.
    """
    base: int
    new_triples: int
    new_items: int
    duplicates: int
    rejected: int
    ended: int
    """The number of triples that died in this generation."""
    triples: int
    items: int
    components: int
    sets: int
    partitions: int


def list_generations(layout: Layout) -> list[Generation]:
    """Return all generations in order, from the commit records and the tables ``ingests``.

    Raises NotFound if nothing was ever ingested.
    """
    commit_as_of(layout)  # raises NotFound if there is no generation
    commits = [read_commit(layout, number) for number in generations(layout)]
    ingests, ended = _read_ingests(layout, commits), _count_ended(layout, commits)
    shown: dict[object, int] = {}
    """The first generation that shows each combination of a base and visible ingests."""
    rows = []
    for commit in commits:
        content = (commit.base, commit.visible)
        ingest = ingests.get(commit.generation)
        change = _change(commit, ingest)
        first = shown.setdefault(content, commit.generation) if commit.visible else 0
        restores = change == "rollback" and first != commit.generation
        row = _row(commit, change, first if restores else None, ingest or {}, commit is commits[-1])
        beyond = commit.beyond if ingest and change != "compact" else Beyond()
        rows.append(
            replace(
                row,
                new_triples=row.new_triples + beyond.new,
                ended=ended[commit.generation] + beyond.ended,
            )
        )
    return rows


def _read_ingests(layout: Layout, commits: Iterable[Commit]) -> dict[int, dict[str, Any]]:
    """Return the rows of all tables ``ingests``, by the generation that each ingest made."""
    newest = {commit.base: commit for commit in commits}
    groups = _count_groups(layout, newest)
    ingests: dict[int, dict[str, Any]] = {}
    for base, commit in newest.items():
        folder, version = layout.table(base, "ingests"), commit.tables.get("ingests")
        rows = read_rows(folder, "ingests", version, (*_COLUMNS, INGEST)).to_pylist()
        rows = [{**row, ITEMS: row[ITEMS] - groups[base, row[INGEST]]} for row in rows]
        begins = min((row[BORN] for row in rows), default=0)
        ingests |= {row[BORN]: {**row, _FIRST_OF_BASE: row[BORN] == begins} for row in rows}
    return ingests


def _count_groups(layout: Layout, newest: Mapping[int, Commit]) -> Counter[tuple[int, int]]:
    """Return the number of groups by base and ingest. Groups do not count as items."""
    found: Counter[tuple[int, int]] = Counter()
    for base, commit in newest.items():
        rows = read_rows(layout.table(base, "groups"), "groups", commit.tables.get("groups"))
        for count in rows[INGEST].value_counts().to_pylist():
            found[base, count["values"]] = count["counts"]
    return found


def _count_ended(layout: Layout, commits: Iterable[Commit]) -> Counter[int]:
    """Return the number of triples that died in each generation."""
    newest = {commit.base: commit for commit in commits}
    found: Counter[int] = Counter()
    for base, commit in newest.items():
        rows = read_rows(layout.table(base, "deaths"), "deaths", commit.tables.get("deaths"))
        for generation, count in zip(rows[DIED].to_pylist(), rows[ROWS].to_pylist(), strict=True):
            found[generation] += count
    return found


def _change(commit: Commit, ingest: dict[str, Any] | None) -> ChangeKind:
    """Return the kind of a change; compactions and retractions are ingests without files."""
    if ingest is None:
        return "rollback"
    if not ingest["files"]:
        return "compact" if ingest[_FIRST_OF_BASE] else "retract"
    return "replace" if ingest[_FIRST_OF_BASE] and commit.rolls_back_to else "ingest"


def _row(
    commit: Commit, change: ChangeKind, back_to: int | None, ingest: dict[str, Any], current: bool
) -> Generation:
    new = {} if change == "compact" else ingest  # a compaction only moves triples
    totals = commit.totals
    return Generation(
        generation=commit.generation,
        time=commit.time,
        current=current,
        change=change,
        back_to=back_to,
        base=commit.base,
        new_triples=new.get("triples", 0),
        new_items=new.get("items", 0),
        duplicates=new.get("duplicates", 0),
        rejected=new.get("rejected", 0),
        ended=0,
        triples=commit.triples,
        items=totals.items,
        components=totals.components,
        sets=totals.sets,
        partitions=totals.partitions,
    )
