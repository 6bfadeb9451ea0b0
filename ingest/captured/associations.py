"""Read the files of a tap, and refuse those that may contain what was not written."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from provhouse.model.arrays import I64
from provhouse.model.errors import BadInput

NONE = np.iinfo(np.int64).min
"""Stands for NULL in the columns of a tap."""
_NAME = re.compile(r"(\d+)-(\d+)\.(\d+)-(\d+)-[0-9a-f]{16}\.parquet")
"""Partition, stage, attempt of the stage, task attempt, and a random number."""


def read_tap(folder: Path, columns: int) -> I64:
    """Return what a tap wrote, as an array of columns by rows. No file means no rows.

    Raises BadInput if two attempts of one task have both succeeded with different rows, also in two
    stages: it is unknown which of them made the rows that were written.
    """
    found = tap_files(folder)
    _check_stages(folder, found)
    parts = [_read(path, columns) for _, paths in sorted(found.items()) for path in paths]
    return np.concatenate([np.empty((columns, 0), np.int64), *parts], axis=1)


@dataclass(frozen=True)
class TaskRows:
    """The rows that one task has written, in order."""

    task: int
    slots: I64
    """The slots of each row, as an array of slots by rows."""
    places: pa.DictionaryArray
    """The file of each row among those of the task: its partition and bucket, joined by ``|``."""

    def counts(self) -> dict[str, int]:
        """Return the number of rows of each place."""
        names = self.places.dictionary.to_pylist()
        found = np.bincount(np.asarray(self.places.indices), minlength=len(names))
        return dict(zip(names, found.tolist(), strict=True))

    def by_place(self) -> I64:
        """Return the slots in the order of the places, and of the rows in each."""
        names = pa.array(self.places.dictionary.to_pylist(), pa.string())
        rank = np.empty(len(names), np.int64)
        rank[np.asarray(pc.sort_indices(names))] = np.arange(len(names))
        order = np.argsort(rank[np.asarray(self.places.indices)], kind="stable")
        return self.slots[:, order]


def read_keys_tap(folder: Path) -> tuple[I64, pa.Array]:
    """Return the ids of the rows of a source, and their keys as texts; a row may occur twice."""
    paths = [path for _, found in sorted(tap_files(folder).items()) for path in found]
    schema = pa.schema([("c0", pa.int64()), ("t0", pa.string())])
    tables = [pq.read_table(path).cast(schema) for path in paths]
    table = pa.concat_tables([schema.empty_table(), *tables])
    return np.asarray(table["c0"]), table["t0"].combine_chunks()


def read_rows(folder: Path, columns: int, texts: int) -> Iterator[TaskRows]:
    """Yield what each task has written; ``texts`` is the number of texts that make a place."""
    for task, paths in sorted(tap_files(folder, ordered=True).items()):
        if len(paths) > 1:
            raise _twice(folder, task)
        slots = _read(paths[0], columns)
        yield TaskRows(task, slots, _places(paths[0], texts, slots.shape[1]))


def _places(path: Path, texts: int, rows: int) -> pa.DictionaryArray:
    if not texts:
        return pa.DictionaryArray.from_arrays(np.zeros(rows, np.int32), pa.array([""]))
    table = pq.read_table(path, columns=[f"t{text}" for text in range(texts)])
    joined = pc.binary_join_element_wise(*table.columns, "|")
    return joined.combine_chunks().dictionary_encode()


def tap_files(folder: Path, *, ordered: bool = False) -> dict[int, list[Path]]:
    """Return the finished files of a tap, by partition, from one attempt at each task.

    Raises BadInput if two attempts have both succeeded and have other rows, or rows in another
    order if that is of importance (``ordered``).
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
    """Raise BadInput if two stages have run the same tasks, and it is unknown which one counts.

    A sort reads its input twice, Spark may compute equal parts of a plan twice, and it runs tasks
    again whose output was lost. All these repeat the same rows, unless the rows are random.
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


def _stage(path: Path) -> str:
    return path.name.split("-")[1].partition(".")[0]


def _same(one: list[Path], other: list[Path]) -> bool:
    return any(
        _rows(one, ordered=ordered).equals(_rows(other, ordered=ordered))
        for ordered in (True, False)  # mostly, the order is the same too
    )


def _within(one: Mapping[int, list[Path]], other: Mapping[int, list[Path]]) -> bool:
    """Return whether all rows of a stage are among those of another one."""
    few, many = (
        pa.concat_tables(pq.read_table(path) for paths in stage.values() for path in paths)
        for stage in (one, other)
    )
    left: pa.Table = few.join(many, few.column_names, join_type="left anti")
    return bool(left.num_rows == 0)


def _rows(paths: list[Path], *, ordered: bool) -> pa.Table:
    """Return the rows of files, which differ only by their order unless that is of importance."""
    table = pa.concat_tables(pq.read_table(path) for path in paths).combine_chunks()
    if not table.column_names:
        return pa.table({"rows": [sum(pq.read_metadata(path).num_rows for path in paths)]})
    if ordered:
        return table
    return table.sort_by([(name, "ascending") for name in table.column_names])


def check_proof(folder: Path, by: str) -> None:
    """Raise BadInput if two groups have one key; the tap of this folder wrote that of each group.

    A sort looks at its input before it reads it, in another stage, so keys are distinct by stage.
    """
    stages: defaultdict[str, list[I64]] = defaultdict(list)
    for paths in tap_files(folder).values():
        for path in paths:
            stages[_stage(path)].append(_read(path, 1)[0])
    for parts in stages.values():
        ordered = np.sort(np.concatenate(parts))
        if (ordered[1:] == ordered[:-1]).any():
            raise _alike(by)


def check_checks(keys: I64, checks: I64, by: str) -> None:
    """Raise BadInput if two groups have one key; ``checks`` are other hashes."""
    order = np.argsort(keys, kind="stable")
    keys, checks = keys[order], checks[order]
    if ((keys[1:] == keys[:-1]) & (checks[1:] != checks[:-1])).any():
        raise _alike(by)


def count_partitions(folder: Path) -> Counter[int]:
    """Return the number of rows that a tap wrote, by partition."""
    return Counter(
        {
            partition: sum(pq.read_metadata(path).num_rows for path in paths)
            for partition, paths in tap_files(folder).items()
        }
    )


def _read(path: Path, columns: int) -> I64:
    if not columns:
        return np.empty((0, pq.read_metadata(path).num_rows), np.int64)
    table = pq.read_table(path, columns=[f"c{column}" for column in range(columns)])
    return np.stack([np.asarray(table[f"c{column}"]) for column in range(columns)])


def _alike(by: str) -> BadInput:
    return BadInput(
        f"Two groups by {by} cannot be distinguished",
        "The numbers of 64 bits that stand for the groups are equal",
        "Use an integer column that is never NULL, or write this outside of the block",
    )


def _twice(folder: Path, partition: int) -> BadInput:
    return BadInput(
        "It is unknown which attempt of a task made the rows that were written",
        f"Two attempts of partition {partition} have left different associations in {folder}",
        "Run the job again; without speculation, it happens only if Spark has lost an executor",
    )
