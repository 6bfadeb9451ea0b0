"""Find the distinct row ids of all files, and which are stored or also occur as names."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from provhouse.model.arrays import Bools
from provhouse.model.patterns import pattern_of
from provhouse.runtime.room import Room, slices
from provhouse.runtime.storage import create_array, load_array

from ..item_naming import EXAMPLES, InTwoTables
from ..job import Job
from ..staging import Staging
from .id_index import write_index
from .id_shards import FoundShard, IdShard, IdTable, ShardArrays
from .read_ids import table_codes
from .read_stage import StagedFile


@dataclass(frozen=True)
class RowIdsRead:
    """The staged distinct row ids of an ingest, shard by shard."""

    staging: Staging
    tables: Sequence[IdTable]
    shards: Sequence[FoundShard]
    two_tables: int = 0
    """The number of row ids that are stored with another table.

    Row ids that also occur as names do not count.
    """
    examples: Sequence[InTwoTables] = ()

    @property
    def items(self) -> int:
        """The number of distinct row ids."""
        return sum(shard.items for shard in self.shards)

    @property
    def all_tables(self) -> set[str]:
        """The tables of the row ids, and the stored tables of the items that they identify."""
        stored = {table for shard in self.shards for table in shard.tables}
        return stored.union(table.name for table in self.tables)

    @property
    def starts(self) -> list[int]:
        """The position of the first row id of each shard."""
        return [at for at, _, _ in self.parts()]

    def parts(self) -> Iterator[tuple[int, FoundShard, ShardArrays]]:
        """Yield, for each shard, the position of its first row id, the shard, and its arrays."""
        at = 0
        for shard in self.shards:
            yield at, shard, ShardArrays(self.staging, shard.number)
            at += shard.items

    def join(self) -> None:
        """Write the ids of all shards into one array, and write its index."""
        ids = create_array(self.staging.ids, np.int64, (self.items,))
        for at, shard, arrays in self.parts():
            ids[at : at + shard.items] = arrays.ids
        bounds = [(at, shard.bounds) for at, shard, _ in self.parts()]
        write_index(self.staging, bounds, len(self.tables))

    def _named(self, room: Room) -> Bools:
        """Return a mask of the row ids that also occur as names."""
        marks = room.zeros(self.items, bool)
        for path in self.staging.id_names.all():
            marks[load_array(path)[0]] = True
        return marks

    def compared(self, room: Room) -> "RowIdsRead":
        """Return a copy with the results of a check against stored tables.

        The results are the number of row ids that are stored with another table, and examples of
        these.
        """
        if not any(shard.tables for shard in self.shards):
            return self
        named, count, examples = self._named(room), 0, list[InTwoTables]()
        for at, shard, arrays in self.parts():
            has_table = np.array([*map(bool, shard.tables), False])  # False for position -1
            kept = arrays.kept
            for some in slices(shard.items):
                unnamed = ~named[at + some.start : at + some.stop]
                rows = some.start + np.flatnonzero(has_table[kept[some]] & unnamed)
                count += len(rows)
                for row in rows[: EXAMPLES - len(examples)].tolist():
                    table = self.tables[int(np.searchsorted(shard.bounds, row, "right")) - 1]
                    name = table.pattern.name(str(arrays.ids[row]))
                    examples.append((name, shard.tables[kept[row]], table.name))
        return replace(self, two_tables=count, examples=examples)


def find_row_ids(job: Job, staged: Mapping[int, StagedFile], shards: int) -> RowIdsRead | None:
    """Find the distinct row ids of all parts; return None if no file has row ids.

    ``staged`` has the last file of each part, by the number of the part.
    """
    parts = {number: file.id_tables for number, file in staged.items() if file.id_tables}
    if not parts:
        return None
    names = sorted({table for tables in parts.values() for table in tables})
    tables = [IdTable(name, pattern_of(name, job.patterns)) for name in names]
    codes = {number: table_codes(each, names) for number, each in parts.items()}
    before = job.snapshot()
    stored = before.names if before and before.spans else None
    tasks = [IdShard(n, job.staging, tables, codes, stored) for n in range(shards)]
    found = RowIdsRead(job.staging, tables, job.run(tasks, [task.bytes for task in tasks]))
    found.join()
    return found
