"""Read records of files without row numbers, such as CSV, by the keys of their rows."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from provhouse.model.arrays import I64
from provhouse.model.associations import ROW_BITS
from provhouse.model.errors import BadInput, UsageError

from ..reading.keyed import KeyedSource
from .cursor_ids import ID, CursorIds
from .file_addresses import address_of, path_of, spark_path
from .keyed_rows import KeyedFile, KeyedRows
from .numbers import NumberedFile
from .taps import tap_paths

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_KEY, _FILE, _HERE = "provhouse_key", "provhouse_file", "provhouse_here"
_KNOWN = f"{_FILE} string, {_KEY} string, {ID} bigint"


@dataclass(frozen=True)
class _Numbered:
    """A file whose records a cursor requests."""

    file: NumberedFile
    known: KeyedFile
    address: str
    """The file's URL as Spark writes it; empty if the file stands for all rows of a write."""


class KeyedRecords:
    """A reader that returns records in the same way as the writes of a block read or wrote them."""

    def __init__(self, spark: "SparkSession", rules: Any, rows: KeyedRows) -> None:
        """``rules`` are the block's rules in the JVM, which contain the plans of its writes."""
        self._spark, self._rules, self._rows = spark, rules, rows

    def frame(self, files: Sequence[NumberedFile], ids: CursorIds | None) -> "DataFrame":
        """Return the records of the rows with ``ids`` in ``files``, with the column ``ID`` added.

        If ``ids`` is None, all records of the files are returned. If there are only a few ids,
        their records are read immediately. Raises BadInput if a file is gone, or if no record has
        the key of a row. If there are many ids, Spark raises the error for a missing key, and only
        when it computes the frame. Raises UsageError for records in another database.
        """
        groups = defaultdict[tuple[int, KeyedSource | None], list[NumberedFile]](list)
        for file in files:
            known = self._rows.files[file.path]
            groups[known.write, known.scan].append(file)
        parts = (self._of_write(write, scan, found, ids) for (write, scan), found in groups.items())
        return reduce(lambda a, b: a.unionByName(b, allowMissingColumns=True), parts)

    def _of_write(
        self,
        write: int,
        scan: KeyedSource | None,
        files: Sequence[NumberedFile],
        ids: CursorIds | None,
    ) -> "DataFrame":
        """Return the records with ``ids`` from files that one scan read or one write made."""
        from pyspark.sql import DataFrame
        from pyspark.sql import functions as F

        if scan:
            rows = DataFrame(self._rules.source(write, [str(f.path) for f in files]), self._spark)
        else:
            paths = [path for file in files for path in self._rows.files[file.path].made]
            _check_there(files[0].table, paths)
            made = self._rules.written(write, [*map(spark_path, paths)])
            rows = DataFrame(made, self._spark)
        numbered = list(self._numbered(files, rows))
        columns = [F.col(f"`{name}`") for name in rows.columns]
        parts = (F.col(f"`{name}`").cast("string") for name in numbered[0].known.key)
        key = reduce(lambda a, b: F.concat(a, F.lit("/"), b), parts)
        at = F.lit("") if numbered[0].known.is_whole else F.col("_metadata.file_path")
        keyed = rows.select(*columns, key.alias(_KEY), at.alias(_FILE))
        there = keyed.where(F.col(_FILE).isin([each.address for each in numbered]))
        if ids is not None and ids.few is not None:
            found = self._few(there, numbered, ids.few)
        else:
            found = self._many(there, numbered, ids)
        return found.select(*columns, ID)

    def _numbered(self, files: Sequence[NumberedFile], rows: "DataFrame") -> Iterator[_Numbered]:
        addresses = {path_of(text): address_of(text) for text in rows.inputFiles()}
        for file in files:
            known = self._rows.files[file.path]
            yield _Numbered(file, known, "" if known.is_whole else addresses[file.path])

    def _few(self, rows: "DataFrame", files: Sequence[_Numbered], ids: I64) -> "DataFrame":
        from pyspark.sql import functions as F

        known = pa.concat_tables([_keys(each, ids) for each in files])
        wanted = self._spark.createDataFrame(known, _KNOWN)
        found = rows.join(F.broadcast(wanted), [_FILE, _KEY]).localCheckpoint()
        if sorted(row[ID] for row in found.select(ID).collect()) != sorted(known[ID].to_pylist()):
            raise BadInput(
                f"Records of {files[0].file.table} cannot be found by their keys",
                "A key was read as a different string than the one that was written",
                "Ask ids(), or the warehouse (provhouse lineage)",
            )
        return found

    def _many(
        self, rows: "DataFrame", files: Sequence[_Numbered], ids: CursorIds | None
    ) -> "DataFrame":
        from pyspark.sql import functions as F

        known = reduce(lambda a, b: a.unionAll(b), self._known(files))
        wanted = known if ids is None else ids.keep(known, ID)
        found = wanted.join(rows.withColumn(_HERE, F.lit(True)), [_FILE, _KEY], "left")
        lost = f"A record of {files[0].file.table} is not found by its key"
        # Spark moves no filter past a filter on the number of the task, so the check stays.
        return found.where(
            F.when(F.col(_HERE), F.spark_partition_id() >= 0).otherwise(F.raise_error(F.lit(lost)))
        )

    def _known(self, files: Sequence[_Numbered]) -> Iterator["DataFrame"]:
        """Yield the files, keys and ids of all rows of files, as recorded by taps."""
        scans = defaultdict[KeyedSource, list[_Numbered]](list)
        for each in files:
            if each.known.scan:
                scans[each.known.scan].append(each)
        made = [each for each in files if each.known.tasks]
        yield self._spark.createDataFrame([], _KNOWN)
        if made:
            yield self._of_tasks(made)
        for scan, read in scans.items():
            yield self._of_scan(scan, read)

    def _of_tasks(self, files: Sequence[_Numbered]) -> "DataFrame":
        """Return the file, key and id of each row in files that tasks have written."""
        from pyspark.sql import functions as F

        tasks = [
            (path.name, each.address, each.file.first_id + row)
            for each in files
            for path, row in each.known.tasks
        ]
        known = self._spark.createDataFrame(tasks, f"name string, {_FILE} string, first bigint")
        paths = [spark_path(path) for each in files for path, _ in each.known.tasks]
        rows = (
            self._spark.read.schema("t0 string")
            .parquet(*paths)
            .selectExpr(
                f"t0 AS {_KEY}", "_metadata.file_name AS name", "_metadata.row_index AS row"
            )
        )
        joined = rows.join(F.broadcast(known), "name")
        return joined.selectExpr(_FILE, _KEY, f"first + row AS {ID}")

    def _of_scan(self, scan: KeyedSource, files: Sequence[_Numbered]) -> "DataFrame":
        """Return the file, key and id of each row that a scan has read.

        Each row is returned once, although tasks may have read it twice.
        """
        from pyspark.sql import functions as F

        of = {each.file.path: each for each in files}
        runs = []
        for run in self._rows.runs[scan]:
            if each := of.get(scan.files[run.file]):
                add = each.file.first_id + run.row - run.first
                place = (run.first >> ROW_BITS, run.file, run.first, run.end)
                runs.append((*place, each.address, add))
        schema = f"part bigint, of bigint, first bigint, end bigint, {_FILE} string, add bigint"
        known = self._spark.createDataFrame(runs, schema)
        paths = [spark_path(path) for path in tap_paths([scan.tap])]
        rows = self._spark.read.schema("c0 bigint, c1 bigint, t0 string").parquet(*paths)
        same = f"shiftright(c0, {ROW_BITS}) = part AND shiftright(c1, {ROW_BITS}) = of"
        found = rows.join(F.broadcast(known), F.expr(f"{same} AND c0 >= first AND c0 < end"))
        return found.selectExpr(_FILE, f"t0 AS {_KEY}", f"c0 + add AS {ID}").distinct()


def _check_there(table: str, paths: Sequence[Path]) -> None:
    if not paths:
        raise UsageError(
            f"The records of {table} cannot be read",
            "They are in another database, or do not exist",
            "Ask count(), or go_back() to the rows that they were made from",
        )
    for path in paths:
        if not path.exists():
            raise BadInput(
                f"The records of {table} no longer exist",
                f"{path} was removed after the block wrote it",
                "Trace before another job overwrites the table",
            )


def _keys(each: _Numbered, ids: I64) -> pa.Table:
    """Return the file, key and id of those rows in ``ids`` that the file contains."""
    first, keys = each.file.first_id, each.known.keys
    here = ids[(ids >= first) & (ids < first + len(keys))]
    addresses = pa.array([each.address] * len(here), pa.string())
    return pa.table([addresses, keys.take(pa.array(here - first)), here], [_FILE, _KEY, ID])
