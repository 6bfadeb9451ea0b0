"""Keep out the writes of a block that cannot be ingested, so that the others can be."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from provhouse.model.errors import BadInput, ProvhouseError, UsageError

from .description import CapturedWrite, SourceFile

if TYPE_CHECKING:
    from ..jvm_rules import Refusal


class KeptOut:
    """The errors of writes. A write that builds on one with an error is kept out too."""

    def __init__(self, writes: Iterable[CapturedWrite]) -> None:
        """Know the finished writes of a block."""
        self._writes = sorted(writes, key=lambda write: write.number)
        self._errors = dict[int, ProvhouseError]()
        self._readers = defaultdict[Path, list[CapturedWrite]](list)
        for write in self._writes:
            for path in {source.path for source in write.sources}:
                self._readers[path].append(write)

    def readers(self, sources: Iterable[SourceFile]) -> list[CapturedWrite]:
        """Return the writes that have read some files."""
        return [write for source in sources for write in self._readers[source.path]]

    @contextmanager
    def if_wrong(self, writes: Sequence[CapturedWrite]) -> Iterator[None]:
        """Keep out some writes if what is done meanwhile raises BadInput or UsageError."""
        try:
            yield
        except (BadInput, UsageError) as error:
            for write in writes:
                self._errors.setdefault(write.number, error)

    def numbers(self) -> set[int]:
        """Return the numbers of the writes that are kept out."""
        return {write.number for write in self._kept()}

    def refusals(self) -> "tuple[Refusal, ...]":
        """Return which writes are kept out, and why."""
        return tuple(_refusal(write, self._errors.get(write.number)) for write in self._kept())

    def error(self, landed: int) -> ProvhouseError | None:
        """Return the first error, if there is one, which says what it keeps out.

        ``landed`` is the number of the writes that were ingested.
        """
        error = next(iter(dict(sorted(self._errors.items())).values()), None)
        kept = list(dict.fromkeys(write.table for write in self._kept()))
        if error and (landed or len(kept) > 1):
            others = f"; the other {landed:,} writes were ingested" if landed else ""
            error.found = f"{error.found}. It keeps out {', '.join(kept)}{others}"
        return error

    def _kept(self) -> list[CapturedWrite]:
        """Return the writes with errors, those that read what they wrote, and later ones there.

        Otherwise the lineage of a later write would end at the first, or the first would get a
        higher version than the later one once it is ingested.
        """
        kept, made = list[CapturedWrite](), set[Path | str]()
        for write in self._writes:
            if write.number in self._errors or not made.isdisjoint(_used(write)):
                kept.append(write)
                made |= _made(write)
        return kept


def _made(write: CapturedWrite) -> set[Path | str]:
    """Return what a write has made: its place and files, by their names if they are gone there."""
    files = (path if path.exists() else path.name for path in write.written)
    return {write.path, *files}


def _used(write: CapturedWrite) -> set[Path | str]:
    """Return where a write has written, and what it has read, in the forms of ``_made``."""
    read = [each.path for each in write.sources]
    for scan in write.keyed:
        read += [*scan.files, *([scan.place] if scan.place else [])]
    return {write.path, *read, *(path.name for path in read)}


def _refusal(write: CapturedWrite, error: ProvhouseError | None) -> "Refusal":
    from ..jvm_rules import Refusal  # executors do not have this package

    if error is None:
        return Refusal(
            str(write.path), write.table, "It builds on a write that was not ingested", ""
        )
    return Refusal(str(write.path), write.table, error.wanted, error.found)
