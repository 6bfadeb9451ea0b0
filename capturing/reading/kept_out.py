"""Keep out the writes of a block that cannot be ingested, so that the other writes can land."""

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
    """The writes of a block that are kept out: wrong writes, and writes that build on them."""

    def __init__(self, writes: Iterable[CapturedWrite]) -> None:
        """``writes`` are the finished writes of a block, at first without errors."""
        self._writes = sorted(writes, key=lambda write: write.number)
        self._errors = dict[int, ProvhouseError]()
        self._readers = defaultdict[Path, list[CapturedWrite]](list)
        for write in self._writes:
            for path in {source.path for source in write.sources}:
                self._readers[path].append(write)

    def readers(self, sources: Iterable[SourceFile]) -> list[CapturedWrite]:
        """Return the writes that have read any of the given files."""
        return [write for source in sources for write in self._readers[source.path]]

    @contextmanager
    def if_wrong(self, writes: Sequence[CapturedWrite]) -> Iterator[None]:
        """Keep out the given writes if the ``with`` block raises BadInput or UsageError."""
        try:
            yield
        except (BadInput, UsageError) as error:
            for write in writes:
                self._errors.setdefault(write.number, error)

    def numbers(self) -> set[int]:
        """Return the numbers of the kept-out writes."""
        return {write.number for write in self._kept()}

    def refusals(self) -> "tuple[Refusal, ...]":
        """Return the kept-out writes, with reasons."""
        return tuple(_refusal(write, self._errors.get(write.number)) for write in self._kept())

    def error(self, landed: int) -> ProvhouseError | None:
        """Return the first error, or None. The error names the tables of the kept-out writes.

        ``landed`` is the number of ingested writes.
        """
        error = next(iter(dict(sorted(self._errors.items())).values()), None)
        kept = list(dict.fromkeys(write.table for write in self._kept()))
        if error and (landed or len(kept) > 1):
            others = f"; the other {landed:,} writes were ingested" if landed else ""
            error.found = f"{error.found}. It keeps out {', '.join(kept)}{others}"
        return error

    def _kept(self) -> list[CapturedWrite]:
        """Return the writes with errors, and later writes that read from or write to their paths.

        If a later write landed without the earlier one, the lineage of the later write would end at
        the earlier one. Also, the earlier write would get the higher version when it is ingested
        later.
        """
        kept, made = list[CapturedWrite](), set[Path | str]()
        for write in self._writes:
            if write.number in self._errors or not made.isdisjoint(_used(write)):
                kept.append(write)
                made |= _made(write)
        return kept


def _made(write: CapturedWrite) -> set[Path | str]:
    """Return a write's path and its files. For a missing file, return only the file's name."""
    files = (path if path.exists() else path.name for path in write.written)
    return {write.path, *files}


def _used(write: CapturedWrite) -> set[Path | str]:
    """Return a write's path, and the paths, files and file names that the write has read."""
    read = [each.path for each in write.sources]
    for scan in write.keyed:
        read += [*scan.files, *([scan.place] if scan.place else [])]
    return {write.path, *read, *(path.name for path in read)}


def _refusal(write: CapturedWrite, error: ProvhouseError | None) -> "Refusal":
    from ..jvm_rules import Refusal  # executors do not have this package

    if error is None:
        return Refusal(
            str(write.path), write.table, "It derives from a write that was not ingested", ""
        )
    return Refusal(str(write.path), write.table, error.wanted, error.found)
