"""Say whether the newest version of a row was deleted by a later captured write of its table."""

from provhouse.model.errors import NotFound
from provhouse.store.warehouse.commits import Commit, generations, read_commit
from provhouse.store.warehouse.layout import Layout
from provhouse.store.warehouse.written import Written, read_since


def check_not_deleted(layout: Layout, commit: Commit, item: str, version: int) -> None:
    """Raise NotFound if a write has replaced the table since a version, without this row.

    ``version`` is the newest of the item in a generation. A write with rows that derive from
    nothing has no items for them, so it proves nothing.
    """
    writes = read_since(layout, version)
    if not writes or writes[0].version != version or not item.startswith(f"{writes[0].table}/"):
        return
    own = writes[0]
    for write in writes[1:]:
        same = (write.table, write.path, write.key) == (own.table, own.path, own.key)
        if (
            own.path
            and same
            and write.replaces
            and not write.bare
            and _shown(layout, commit, write)
        ):
            raise NotFound(
                f"The row {item!r} was deleted",
                f"Write {write.version} of {_run(write)} has replaced the table without it",
                f"Ask about its last version, {item + own.suffix!r}, or as of an earlier "
                "generation with --as-of",
            )


def _run(write: Written) -> str:
    return f"run {write.run!r}" if write.run else "a run without a name"


def _shown(layout: Layout, commit: Commit, write: Written) -> bool:
    """Return whether a generation has the ingest of a write, so that no rollback has hidden it.

    Each commit names the generation before its last ingest. Of pruned ones, it is assumed.
    """
    stored, before = {*generations(layout)}, commit.rolls_back_to
    while before is not None and before > write.after:
        if before not in stored:
            return True
        before = read_commit(layout, before).rolls_back_to
    return before == write.after
