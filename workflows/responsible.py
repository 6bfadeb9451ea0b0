"""The inputs that are responsible for a difference of two results, by record lineage.

The results come from captured runs, so each record is an item of a version of its table. The inputs
of a differing record are the sources of its items in both runs.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from provhouse.model.columns import ITEM, TABLE
from provhouse.model.errors import NotFound, UsageError
from provhouse.model.progress import Stopwatch
from provhouse.model.question import Question
from provhouse.query.lineage.ask import Asker
from provhouse.sql.time_limit import seconds_left
from provhouse.store.tables.written import Written, read_written
from provhouse.store.warehouse.layout import Layout

from .executions import Execution, newest_execution
from .record_diff import RecordChange, Texts
from .revision_diff import RecordsDiff, diff_revisions
from .revision_names import revision_name

BEFORE, AFTER, BOTH = "before", "after", "both"


@dataclass(frozen=True)
class ResponsibleTable:
    """The number of inputs of one table, for one kind of difference and one cause."""

    table: str
    kind: str
    cause: str
    only_before: int
    """The number of items from which only the earlier records derive."""
    only_after: int
    both: int


@dataclass(frozen=True)
class ResponsibleInput:
    """A source of a differing record."""

    item: str
    table: str
    of: str
    """Which records derive from the source: ``before``, ``after`` or ``both``."""


@dataclass(frozen=True)
class ResponsibleRecord:
    """A differing record, and its sources in both runs."""

    kind: str
    cause: str
    before: str | None
    """The record's item in the earlier result."""
    after: str | None
    inputs: tuple[ResponsibleInput, ...]


@dataclass(frozen=True)
class ResponsibleInputs:
    """The inputs of the records that differ between the results of two revisions."""

    before: str
    after: str
    sink: str
    came: int
    went: int
    changed: int
    tables: tuple[ResponsibleTable, ...]
    """The numbers of inputs of the listed records, by table."""
    records: tuple[ResponsibleRecord, ...]
    notes: tuple[str, ...]


def responsible_inputs(
    asker: Asker, before: str, after: str, sink: str | None = None, limit: int = 100
) -> ResponsibleInputs:
    """Return the sources of the first records that differ between two results.

    Raises NotFound if a revision, its sink or an execution is not stored, and UsageError if no
    captured run has written a result, or if its records have no key.
    """
    layout = asker.snapshot.layout
    found = diff_revisions(layout, before, after, sink, records=True, limit=limit)
    assert found.results
    versions = [
        _version(layout, newest_execution(layout, revision_name(name), found.sink))
        for name in (before, after)
    ]
    records = tuple(_record(asker, each, versions) for each in found.results.records)
    return ResponsibleInputs(
        before,
        after,
        found.sink,
        **_numbers(found.results),
        tables=tuple(_tables(records)),
        records=records,
        notes=found.results.notes,
    )


def _numbers(found: RecordsDiff) -> dict[str, int]:
    return {"came": found.came, "went": found.went, "changed": found.changed}


def _version(layout: Layout, execution: Execution) -> Written:
    """Return the captured write of an execution's sink."""
    writes = {each.version: each for each in read_written(layout).values()}
    found = [
        each
        for each in writes.values()
        if each.table == execution.sink and execution.run and each.run == execution.run
    ]
    if len(found) != 1 or not found[0].key:
        raise UsageError(
            f"The records of {execution.revision} have no lineage",
            f"The run {execution.run or 'of the execution'} has {len(found)} captured writes of "
            f"{execution.sink} with a key",
            "Capture the job with keys and a workflow, or name its run with "
            "`provhouse executions add --run`",
        )
    return found[0]


def _record(asker: Asker, change: RecordChange, versions: Sequence[Written]) -> ResponsibleRecord:
    sides = (change.before, change.after)
    items = [_item(row, version) for row, version in zip(sides, versions, strict=True)]
    one, other = (_sources(asker, item) if item else {} for item in items)
    listed = (
        ResponsibleInput(item, table, _side(item in one, item in other))
        for item, table in sorted({**one, **other}.items())
    )
    return ResponsibleRecord(change.kind, change.cause, items[0], items[1], tuple(listed))


def _item(row: Texts | None, version: Written) -> str | None:
    """Return the item of a record, which its key names."""
    if row is None:
        return None
    if missing := [name for name in version.key if row.get(name) is None]:
        raise UsageError(
            f"A record has no column {missing[0]}",
            f"The key {', '.join(version.key)} of {version.table} names its items",
            "Compare revisions whose results have the columns of the key",
        )
    key = "/".join(str(row[name]) for name in version.key)
    return f"{version.table}/{key}{version.suffix}"


def _sources(asker: Asker, item: str) -> dict[str, str]:
    """Return the table of each source of an item, by source name; empty if it is not found."""
    watch = Stopwatch(seconds_left())
    try:
        answer = asker.answer(Question(item, "upstream", ends=True), watch, suggest=False)
    except NotFound:
        return {}
    return {row[ITEM]: row[TABLE] or "" for row in answer.items.to_pylist()}


def _side(before: bool, after: bool) -> str:
    return BOTH if before and after else BEFORE if before else AFTER


def _tables(records: Sequence[ResponsibleRecord]) -> Iterator[ResponsibleTable]:
    """Yield the numbers of inputs by table, kind and cause; each item counts once."""
    found: dict[tuple[str, str, str], dict[str, str]] = {}
    for each in records:
        for source in each.inputs:
            group = (source.table, each.kind, each.cause)
            sides = found.setdefault(group, {})
            known = sides.setdefault(source.item, source.of)
            sides[source.item] = known if known == source.of else BOTH
    for (table, kind, cause), sides in sorted(found.items()):
        number: Mapping[str, int] = Counter(sides.values())
        yield ResponsibleTable(table, kind, cause, number[BEFORE], number[AFTER], number[BOTH])
