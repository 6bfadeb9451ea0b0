"""Check that no two sources have the same name, since their keys would name the same items."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

from provhouse.capturing.reading.description import CapturedWrite
from provhouse.capturing.reading.file_names import Key
from provhouse.capturing.reading.kept_out import KeptOut
from provhouse.capturing.reading.known import Known
from provhouse.model.errors import UsageError


def check_places(
    writes: Sequence[CapturedWrite],
    keys: Mapping[str, Key],
    known: Known,
    fresh: Collection[Path],
    kept_out: KeptOut,
) -> None:
    """Keep out the writes that read one of two sources with the same name.

    An example is a table in two formats: a table's name omits the ending of its path, so
    ``orders.csv`` and ``orders.json`` are both named ``orders``. Sources that captured writes made
    are not compared, because versions distinguish their rows. ``fresh`` has the files that writes
    of the same block made.
    """
    readers = defaultdict[str, defaultdict[Path, list[CapturedWrite]]](lambda: defaultdict(list))
    for write in writes:
        for table, place in _places(write, keys, known, fresh):
            readers[table][place].append(write)
    for table, places in readers.items():
        with kept_out.if_wrong([write for each in places.values() for write in each]):
            _check(table, sorted(places))


def _places(
    write: CapturedWrite, keys: Mapping[str, Key], known: Known, fresh: Collection[Path]
) -> Iterator[tuple[str, Path]]:
    """Yield the table and the path of each source of a write.

    Sources that a captured write made are left out.
    """
    found = [each for each in write.sources if each.table in keys and each.path not in fresh]
    of = known.writes([source.state for source in found])
    yield from {(each.table, each.root) for each, one in zip(found, of, strict=True) if not one}
    for scan in write.keyed:
        others = [file for file in scan.file_states if file.path not in fresh]
        place = scan.place or scan.root
        if place and (scan.place or None in known.writes(others)):
            yield scan.table, place


def _check(table: str, places: Sequence[Path]) -> None:
    if len(places) > 1:
        raise UsageError(
            f"Two sources are named {table}, so that their keys would name the same items",
            f"They are {places[0]} and {places[1]}",
            "Rename one of them, or read them as one source",
        )
