"""Numbers for the files of a block, so that a row has one id in all of its writes.

Each write numbers the files that it reads by itself. Here, files that the block has only read come
first; the files of each write follow, and have consecutive numbers.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from provhouse.ingest.captured.description import SourceFile
from provhouse.ingest.captured.output import Output
from provhouse.ingest.captured.pairs import ROW_BITS


@dataclass(frozen=True)
class NumberedFile:
    """A file of the block, in the ids of its rows."""

    number: int
    path: Path
    root: Path
    """The path of its table: the file itself, or a folder above it."""
    table: str
    format: str
    write: int | None
    """The position of the write that has made it; None for a file that was only read."""
    source: SourceFile | None
    """The file as a write that has read it describes it; None if it was only written."""

    @property
    def first_id(self) -> int:
        """The id of its first row."""
        return self.number << ROW_BITS


@dataclass(frozen=True)
class Shift:
    """Consecutive numbers of files of one write, and what to add to them."""

    first: int
    end: int
    add: int


class Numbers:
    """The files of all finished writes of a block, by number."""

    def __init__(self, outputs: Sequence[Output]) -> None:
        written = {path: at for at, output in enumerate(outputs) for path in output.files}
        read = {source.path: source for output in outputs for source in output.write.sources}
        self.files = list[NumberedFile]()
        for path, source in read.items():
            if path not in written:
                self._add(path, source.root, source.table, "parquet", None, source)
        self._first = list[int]()
        for at, output in enumerate(outputs):
            self._first.append(len(self.files))
            write = output.write
            for path in output.files:
                self._add(path, write.path, write.table, write.format, at, read.get(path))
        self._first.append(len(self.files))
        self._by_path = {each.path: each.number for each in self.files}

    def _add(
        self,
        path: Path,
        root: Path,
        table: str,
        format: str,
        write: int | None,
        source: SourceFile | None,
    ) -> None:
        number = len(self.files)
        self.files.append(NumberedFile(number, path, root, table, format, write, source))

    def of_write(self, write: int) -> Sequence[NumberedFile]:
        """Return the files that a write has made, in the order of ``Output.files``."""
        return self.files[self._first[write] : self._first[write + 1]]

    def first_id(self, write: int) -> int:
        """Return the smallest id that a row of a write can have, or of the one after the last."""
        return self._first[write] << ROW_BITS

    def add(self, source: SourceFile) -> NumberedFile:
        """Add a file that no write has read, and return it."""
        self._add(source.path, source.root, source.table, "parquet", None, source)
        return self.files[-1]

    def writes_read(self, sources: Sequence[SourceFile]) -> set[int | None]:
        """Return the writes that have made some of these files; None stands for other files."""
        return {self.files[self._by_path[source.path]].write for source in sources}

    def shifts(self, sources: Sequence[SourceFile]) -> tuple[Shift, ...]:
        """Return how to make numbers of the block of those of one write."""
        numbers = {source.number: self._by_path[source.path] for source in sources}
        return tuple(_runs(numbers))


def _runs(numbers: Mapping[int, int]) -> Iterator[Shift]:
    run: Shift | None = None
    for given, number in sorted(numbers.items()):
        if run and given == run.end and number - given == run.add:
            run = Shift(run.first, run.end + 1, run.add)
            continue
        if run:
            yield run
        run = Shift(given, given + 1, number - given)
    if run:
        yield run
