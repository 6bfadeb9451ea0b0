"""Read the files of a tap, and refuse files that may contain rows that the job did not write."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from provhouse.model.arrays import I64
from provhouse.model.errors import BadInput

from .spread import Spread

PIECE = 1 << 20
"""The number of rows that are read at once."""
_NAME = re.compile(r"(\d+)-(\d+)\.(\d+)-(\d+)-[0-9a-f]{16}\.parquet")
"""A file's name: partition, stage, attempt of the stage, task attempt, and a random number."""


def tap_pieces(folder: Path, columns: int) -> Iterator[I64]:
    """Yield the rows that a tap wrote, as arrays whose first axis is the columns.

    If there are no files, there are no rows. Raises BadInput if two attempts of a task, in the same
    stage or in two stages, succeeded with different rows, since the write may contain the rows of
    either attempt.
    """
    found = tap_files(folder)
    _check_stages(folder, found)
    for _, paths in sorted(found.items()):
        for path in paths:
            yield from _pieces(path, columns)


def count_rows(folder: Path) -> int:
    """Return the number of rows that a tap wrote."""
    return sum(pq.read_metadata(path).num_rows for path in folder.glob("[0-9]*.parquet"))


@dataclass(frozen=True)
class TaskRows:
    """The rows that one task wrote, in order."""

    slots: I64
    """The slots of each row, as an array with a row per slot."""
    places: pa.DictionaryArray
    """The place of each row's file within the task: partition and bucket, joined by ``|``."""

    def by_place(self) -> I64:
        """Return the slots, ordered by place and then by row."""
        names = pa.array(self.places.dictionary.to_pylist(), pa.string())
        rank = np.empty(len(names), np.int64)
        rank[np.asarray(pc.sort_indices(names))] = np.arange(len(names))
        order = np.argsort(rank[np.asarray(self.places.indices)], kind="stable")
        return self.slots[:, order]


def read_keys_tap(folder: Path) -> tuple[I64, I64, pa.Array]:
    """Return the id, the file and the key of each row of a source. A row may occur twice.

    If the tap does not have a column for files, they are all 0.
    """
    paths = [path for _, found in sorted(tap_files(folder).items()) for path in found]
    tables = [pq.read_table(path) for path in paths]
    names = ["c0", "c1"] if any("c1" in each.column_names for each in tables) else ["c0"]
    schema = pa.schema([*((name, pa.int64()) for name in names), ("t0", pa.string())])
    table = pa.concat_tables([schema.empty_table(), *(each.cast(schema) for each in tables)])
    ids = np.asarray(table["c0"])
    return ids, np.asarray(table[names[-1]]) * (len(names) - 1), table["t0"].combine_chunks()


def row_keys(folder: Path) -> pa.Array:
    """Return the keys of the rows of all tasks as strings, in the order of ``row_pieces``."""
    paths = _by_task(folder).values()
    parts = [pq.read_table(path, columns=["t0"])["t0"].combine_chunks() for path in paths]
    return pa.concat_arrays([pa.array([], pa.string()), *(p.cast(pa.string()) for p in parts)])


def row_pieces(folder: Path, columns: int, texts: int) -> Iterator[I64]:
    """Yield the slots of the rows of all tasks, ordered by task, place and row.

    ``texts`` is the number of strings that identify a place. If it is 0, the rows of a task are
    read in pieces instead of all at once.
    """
    for path in _by_task(folder).values():
        if texts:
            places = places_of(path, texts)
            slots = np.concatenate([np.empty((columns, 0), np.int64), *_pieces(path, columns)], 1)
            yield TaskRows(slots, places).by_place()
        else:
            yield from _pieces(path, columns)


def count_places(folder: Path, texts: int) -> Counter[tuple[int, str]]:
    """Return the number of rows that each task wrote to each place."""
    found = Counter[tuple[int, str]]()
    for task, path in _by_task(folder).items():
        if not texts:
            found[task, ""] = pq.read_metadata(path).num_rows
            continue
        counts = pc.value_counts(places_of(path, texts))
        for each in counts.to_pylist():
            found[task, each["values"]] = each["counts"]
    return found


def _by_task(folder: Path) -> dict[int, Path]:
    found = {}
    for task, paths in sorted(tap_files(folder, ordered=True).items()):
        if len(paths) > 1:
            raise _twice(folder, task)
        found[task] = paths[0]
    return found


def places_of(path: Path, texts: int) -> pa.DictionaryArray:
    """Return the place of each row in its task: partition and bucket, joined by ``|``."""
    table = pq.read_table(path, columns=[f"t{text}" for text in range(texts)])
    joined = pc.binary_join_element_wise(*table.columns, "|")
    return joined.combine_chunks().dictionary_encode()


def tap_files(folder: Path, *, ordered: bool = False) -> dict[int, list[Path]]:
    """Return the finished files of a tap by partition, from one attempt of each task.

    Raises BadInput if two attempts succeeded with different rows or, if ``ordered`` is true, with
    the same rows in different orders.
    """
    attempts: defaultdict[tuple[int, int], defaultdict[tuple[str, str], list[Path]]]
    attempts = defaultdict(lambda: defaultdict(list))
    for path in sorted(folder.glob("[0-9]*.parquet")):
        if match := _NAME.fullmatch(path.name):
            partition, stage, *attempt = match.groups()
            attempts[int(partition), int(stage)][attempt[0], attempt[1]].append(path)
    found: defaultdict[int, list[Path]] = defaultdict(list)
    for (partition, _), tried in sorted(attempts.items()):
        first, *others = tried.values()
        if others:
            rows = _rows(first, ordered=ordered)
            if not all(_rows(paths, ordered=ordered).equals(rows) for paths in others):
                raise _twice(folder, partition)
        found[partition] += first
    return found


def _check_stages(folder: Path, found: Mapping[int, list[Path]]) -> None:
    """Raise BadInput if two stages ran the same tasks with different rows.

    Tasks can run in two stages because a sort reads its input twice, because Spark may compute
    equal parts of a plan twice, and because Spark repeats tasks whose output was lost. In all these
    cases, the rows are the same unless they are random.
    """
    stages: defaultdict[str, dict[int, list[Path]]] = defaultdict(dict)
    for partition, paths in found.items():
        for path in paths:
            stages[_stage(path)].setdefault(partition, []).append(path)
    for one, other in combinations(stages.values(), 2):
        both = sorted(one.keys() & other.keys())
        if not all(_same(one[partition], other[partition]) for partition in both) and not (
            _within(one, other) or _within(other, one)
        ):
            raise _twice(folder, both[0])


def stages_of(folder: Path) -> Iterable[list[Path]]:
    """Return the files of a tap, by the stage that wrote them."""
    stages: defaultdict[str, list[Path]] = defaultdict(list)
    for paths in tap_files(folder).values():
        for path in paths:
            stages[_stage(path)].append(path)
    return stages.values()


def _stage(path: Path) -> str:
    return path.name.split("-")[1].partition(".")[0]


def _same(one: list[Path], other: list[Path]) -> bool:
    return any(
        _rows(one, ordered=ordered).equals(_rows(other, ordered=ordered))
        for ordered in (True, False)  # usually the order is equal too, so no sort is needed
    )


def _within(one: Mapping[int, list[Path]], other: Mapping[int, list[Path]]) -> bool:
    """Return whether the files of the stage ``other`` contain all rows of the stage ``one``."""
    few, many = (
        pa.concat_tables(pq.read_table(path) for paths in stage.values() for path in paths)
        for stage in (one, other)
    )
    left: pa.Table = few.join(many, few.column_names, join_type="left anti")
    return bool(left.num_rows == 0)


def _rows(paths: list[Path], *, ordered: bool) -> pa.Table:
    """Return the rows of files, sorted by all columns unless ``ordered`` is true."""
    table = pa.concat_tables(pq.read_table(path) for path in paths).combine_chunks()
    if not table.column_names:
        return pa.table({"rows": [sum(pq.read_metadata(path).num_rows for path in paths)]})
    if ordered:
        return table
    return table.sort_by([(name, "ascending") for name in table.column_names])


def check_proof(folder: Path, by: str, aside: Path) -> None:
    """Raise BadInput if two groups have the same key.

    The tap that wrote to ``folder`` wrote one key per group. The same key may occur in two stages,
    because a sort first samples its input in a separate stage.
    """
    for paths in stages_of(folder):
        keys = Spread(1, sum(pq.read_metadata(path).num_rows for path in paths), aside)
        for path in paths:
            for piece in _pieces(path, 1):
                keys.add(piece[0], [piece[0]])
        if any((np.diff(np.sort(part[0])) == 0).any() for part in keys.parts()):
            raise alike(by)


def check_checks(found: Spread, by: str) -> None:
    """Raise BadInput if a key has two different second hashes and so belongs to two groups."""
    for keys, checks in found.parts():
        order = np.argsort(keys, kind="stable")
        keys, checks = keys[order], checks[order]
        if ((keys[1:] == keys[:-1]) & (checks[1:] != checks[:-1])).any():
            raise alike(by)


def _pieces(path: Path, columns: int) -> Iterator[I64]:
    names = [f"c{column}" for column in range(columns)]
    with pq.ParquetFile(path) as file:
        if not columns:
            yield np.empty((0, file.metadata.num_rows), np.int64)
            return
        for batch in file.iter_batches(PIECE, columns=names):
            yield np.stack([np.asarray(batch[name]) for name in names])


def alike(by: str) -> BadInput:
    """Return the error for two groups whose keys are equal."""
    return BadInput(
        f"Two groups by {by} cannot be distinguished",
        "The 64-bit hashes of the groups are equal",
        "Use an integer column that is never NULL, or write this outside of the block",
    )


def _twice(folder: Path, partition: int) -> BadInput:
    return BadInput(
        "It is unknown which attempt of a task wrote the rows",
        f"Two attempts of partition {partition} have left different associations in {folder}",
        "Run the job again; without speculation, this happens only if Spark has lost an executor",
    )
