"""Find the captured writes that are visible in a generation, that is, not hidden by a rollback."""

from collections.abc import Sequence
from typing import Protocol, TypeVar

from .commits import Commit, generations, read_commit
from .layout import Layout


class _Numbered(Protocol):
    @property
    def after(self) -> int: ...


Write = TypeVar("Write", bound=_Numbered)


def shown_writes(layout: Layout, commit: Commit, writes: Sequence[Write]) -> list[Write]:
    """Return, in order, those writes whose ingest is visible in a generation.

    Each commit names the generation that was current before its last ingest. If the commit of that
    generation was pruned, all earlier writes count as shown.
    """
    if not writes:
        return []
    oldest = min(write.after for write in writes)
    stored, before, passed = {*generations(layout)}, commit.rolls_back_to, set[int]()
    while before is not None and before > oldest and before in stored:
        passed.add(before)
        before = read_commit(layout, before).rolls_back_to
    if before is None:
        return [write for write in writes if write.after in passed]
    passed.add(before)
    unknown = before not in stored
    return [each for each in writes if each.after in passed or (unknown and each.after < before)]
