"""Names of rows: ``table/key``, ``table/key@version`` for captured writes, or ``table/row id``."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from provhouse.model.arrays import I64
from provhouse.model.errors import UsageError
from provhouse.store.warehouse.file_table import numbers_of
from provhouse.store.warehouse.layout import Layout
from provhouse.store.warehouse.written import Written, read_written

from .description import CapturedWrite, SourceFile
from .keyed import KeyedSource, source_keys
from .keys import Key, check_keys, read_keys, texts
from .output import Output

ROW_BITS = 40
"""The number of bits of the row index in a row id; the number of the file is above them."""


@dataclass(frozen=True)
class Named:
    """The names of source rows, by their ids in ascending order, and the table of each."""

    ids: I64
    names: pa.Array
    tables: pa.Array

    def at(self, ids: I64) -> pa.Array:
        """Return the positions of these ids."""
        return pa.array(np.searchsorted(self.ids, ids))


class Known:
    """The numbers of files in a warehouse, and the captured writes that files are of."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._writes = read_written(layout)

    def numbers(self, paths: Sequence[Path]) -> list[int]:
        """Return the numbers of files, -1 for one that has none."""
        texts = pa.array([str(path) for path in paths], pa.string())
        return [int(number) for number in numbers_of(self._layout, texts)]

    def writes(self, paths: Sequence[Path]) -> list[Written | None]:
        """Return the captured write that each file is of, or None."""
        return [self._writes.get(number) for number in self.numbers(paths)]


def check_sources(
    sources: Iterable[SourceFile], keys: Mapping[str, Key], known: Known, fresh: Mapping[Path, Key]
) -> None:
    """Raise an error if a declared key does not name the rows of a source.

    ``fresh`` are the files that the same block has written, with their keys; these were checked as
    output. Raises BadInput for a NULL or a repeated key and for a changed file. Raises UsageError
    if a captured write has another key, or if a table's name stands for two folders.
    """
    by_table: defaultdict[str, list[SourceFile]] = defaultdict(list)
    files = list(sources)
    for source, write in zip(files, known.writes([file.path for file in files]), strict=True):
        source.check_unchanged()
        found = write.key if write else fresh.get(source.path)
        if found is None:
            by_table[source.table].append(source)
        elif keys.get(source.table, found) != found:
            raise _other_key(source, found)
    for table, parts in by_table.items():
        if key := keys.get(table):
            _check_one_place(table, parts)
            check_keys(table, key, [read_keys(part.path, key) for part in parts])


def source_names(ids: I64, of: CapturedWrite, keys: Mapping[str, Key], known: Known) -> Named:
    """Return the names of source rows, given by their distinct ids in ascending order.

    Files of rows that are named by row ids must have numbers.
    """
    parts = list[Named]()
    scanned = np.zeros(len(ids), bool)
    for scan in of.keyed:
        rows = ids[_within(ids, scan)]
        scanned |= _within(ids, scan)
        if len(rows):
            parts.append(
                Named(
                    rows,
                    _joined(scan.table, source_keys(scan).at(rows), ""),
                    pa.array([scan.table] * len(rows), pa.string()),
                )
            )
    parts.append(_file_names(ids[~scanned], of.sources, keys, known))
    order = pa.array(np.argsort(np.concatenate([part.ids for part in parts])))
    return Named(
        ids,
        pa.concat_arrays([part.names for part in parts]).take(order),
        pa.concat_arrays([part.tables for part in parts]).take(order),
    )


def _within(ids: I64, scan: KeyedSource) -> npt.NDArray[np.bool_]:
    numbers = ids >> ROW_BITS
    return (numbers >= scan.number) & (numbers < scan.number + scan.partitions)


def _file_names(
    ids: I64, sources: Sequence[SourceFile], keys: Mapping[str, Key], known: Known
) -> Named:
    names, tables = [pa.array([], pa.string())], [pa.array([], pa.string())]
    of = {source.number: source for source in sources}
    files, first = np.unique(ids >> ROW_BITS, return_index=True)
    used = [of[number] for number in files.tolist()]
    numbers = known.numbers([source.path for source in used])
    writes = known.writes([source.path for source in used])
    bounds = [*first.tolist(), len(ids)]
    for at, (source, number, write) in enumerate(zip(used, numbers, writes, strict=True)):
        rows = ids[bounds[at] : bounds[at + 1]] & ((1 << ROW_BITS) - 1)
        table = write.table if write else source.table
        key = write.key if write else keys.get(table, ())
        found = _texts(source.path, key, rows, number)
        names.append(_joined(table, found, write.suffix if write else ""))
        tables.append(pa.array([table] * len(rows), pa.string()))
    return Named(ids, pa.concat_arrays(names), pa.concat_arrays(tables))


def output_names(output: Output, written: Written) -> pa.Array:
    """Return the names of all rows of a captured write."""
    if written.key:
        parts = [texts(read_keys(path, written.key)) for path in output.files]
        found = pa.concat_arrays([pa.array([], pa.string()), *parts])
    else:
        found = pa.array(output.row_ids(written.files, ROW_BITS)).cast(pa.string())
    return _joined(written.table, found, written.suffix)


def without_numbers(
    sources: Iterable[SourceFile], keys: Mapping[str, Key], known: Known
) -> list[Path]:
    """Return the files whose rows are named by row ids, and that have no number yet."""
    plain = [source.path for source in sources if not keys.get(source.table)]
    return [path for path, number in zip(plain, known.numbers(plain), strict=True) if number < 0]


def _texts(path: Path, key: Key, rows: I64, number: int) -> pa.Array:
    if key:
        return texts(read_keys(path, key).take(pa.array(rows)))
    return pa.array((number << ROW_BITS) + rows).cast(pa.string())


def _joined(table: str, found: pa.Array, suffix: str) -> pa.Array:
    return pc.binary_join_element_wise(f"{table}/", found.cast(pa.string()), suffix, "")


def _check_one_place(table: str, parts: Sequence[SourceFile]) -> None:
    roots = sorted({part.root for part in parts})
    if len(roots) > 1:
        raise UsageError(
            f"Two sources are named {table}, so that their keys would name the same items",
            f"They are {roots[0]} and {roots[1]}",
            "Rename one of the folders, or read them as one source",
        )


def _other_key(source: SourceFile, found: Key) -> UsageError:
    named = f"by the key {', '.join(found)}" if found else "by their row ids"
    return UsageError(
        f"The rows of {source.table} have another key than the declared one",
        f"They were written by a captured job, and are named {named}",
        f"Leave {source.table} out of the keys of jobs that only read it",
    )
