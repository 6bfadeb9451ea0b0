"""Check whether the newest known version of a row is still the newest one.

A later captured write of the row's table may have deleted the row, or a later run of dbt may have
built the table without it. Or the capture of a later write may be a sample that does not contain
the row.
"""

from collections.abc import Collection, Sequence

from provhouse.model.errors import NotFound
from provhouse.model.samples import Sample, sample_sentence
from provhouse.store.tables.kept_rows import ends_by_dbt, ends_of
from provhouse.store.tables.written import Written, read_since
from provhouse.store.warehouse.commits import Commit
from provhouse.store.warehouse.layout import Layout
from provhouse.store.warehouse.shown_writes import shown_writes


def check_newest(
    layout: Layout, commit: Commit, item: str, version: int, samples: Sequence[Sample]
) -> None:
    """Raise NotFound if a later write may have replaced or deleted a version of an item.

    ``version`` is the item's newest version in a generation, and ``samples`` are the samples of the
    item's table in that generation. A write that replaced the table and did not write this row has
    deleted the row. A write with rows that do not derive from any source does not show this: such
    rows are not items, so the row may be one of them.
    """
    writes = read_since(layout, version)
    if not writes or writes[0].version != version or not item.startswith(f"{writes[0].table}/"):
        _check_dbt(layout, commit, item, version)
        return
    own = writes[0]
    later = [each for each in writes[1:] if own.path and _same(each, own) and _deletes_others(each)]
    shown = {each.version for each in shown_writes(layout, commit, later)}
    ended = {each.version for each in shown_writes(layout, commit, ends_of(layout, item, version))}
    gone = shown | ended
    deleting = [each for each in writes if each.version in gone and _same(each, own)]
    last = deleting[-1].version if deleting else version
    unknown = [each for each in samples if each.version > last]
    if unknown:
        raise NotFound(
            f"The newest version of the row {item!r} is unknown",
            f"{sample_sentence(unknown)}; this row is not in any later sample",
            f"Ask about an earlier version, such as {item + own.suffix!r}",
        )
    if deleting:
        write = deleting[0]
        raise NotFound(
            f"The row {item!r} was deleted",
            f"Write {write.version} of {_run(write)} {_what(write, ended)}",
            f"Ask about its last version, {item + own.suffix!r}, or about an earlier generation "
            "with --as-of",
        )


def _check_dbt(layout: Layout, commit: Commit, item: str, run: int) -> None:
    """Raise NotFound if a run of dbt after ``run``, which built a row, no longer built the row."""
    if ended := shown_writes(layout, commit, ends_by_dbt(layout, item, run)):
        raise NotFound(
            f"The row {item!r} was deleted",
            f"Run {ended[0].version} of dbt built its table without it",
            f"Ask about its last version, '{item}@{run}', or about an earlier generation "
            "with --as-of",
        )


def _what(write: Written, ended: Collection[int]) -> str:
    return "deleted it" if write.version in ended else "replaced the table without this row"


def _same(write: Written, own: Written) -> bool:
    return _place(write) == _place(own)


def _place(write: Written) -> tuple[str, str, tuple[str, ...]]:
    return write.table, write.path, write.columns_in_files


def _deletes_others(write: Written) -> bool:
    return write.replaces and not write.bare


def _run(write: Written) -> str:
    return f"run {write.run!r}" if write.run else "a run without a name"
