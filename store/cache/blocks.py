"""Triples as blocks of bytes: the form in which Spark caches and sends them."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from provhouse.model.columns import ATTRIBUTES, DST, OP, SRC
from provhouse.spark.session import working
from provhouse.spark.workers import settle

if TYPE_CHECKING:
    from pyspark import RDD, SparkContext

SENT = pa.schema(
    [(SRC, pa.int64()), (DST, pa.int64()), (OP, pa.string()), (ATTRIBUTES, pa.string())]
)
"""The schema of sent triples. Texts are plain, so a few rows do not carry a whole dictionary."""


def as_block(rows: pa.Table) -> bytes:
    """Return triples as bytes to cache, with the narrowest numbers and each text once."""
    return _bytes(pa.table({name: _narrow(rows[name].combine_chunks()) for name in SENT.names}))


def _narrow(column: pa.Array) -> pa.Array:
    if pa.types.is_integer(column.type):
        most = pc.max(column).as_py() or 0
        return column.cast(pa.int32() if most < 2**31 else pa.int64())
    coded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    if isinstance(coded, pa.ChunkedArray):
        coded = coded.combine_chunks()
    width = next(w for w in (pa.int8(), pa.int16(), pa.int32()) if _fits(len(coded.dictionary), w))
    return pa.DictionaryArray.from_arrays(coded.indices.cast(width), coded.dictionary)


def _fits(count: int, width: pa.DataType) -> bool:
    return bool(count <= 1 << (width.bit_width - 1))


def as_sent(rows: pa.Table) -> bytes:
    """Return triples as bytes to send, in the schema ``SENT``."""
    return _bytes(rows.cast(SENT))


def _bytes(rows: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, rows.schema) as out:
        out.write_table(rows.combine_chunks())
    block: bytes = sink.getvalue().to_pybytes()
    return block


def from_block(block: bytes) -> pa.Table:
    """Return the triples of a block, without copying."""
    return pa.ipc.open_stream(pa.py_buffer(block)).read_all()


def joined(blocks: Iterable[bytes]) -> pa.Table:
    """Return the triples of several sent blocks as one table."""
    return pa.concat_tables([SENT.empty_table(), *map(from_block, blocks)]).combine_chunks()


def run_on(
    context: "SparkContext",
    blocks: "RDD[bytes]",
    select: Callable[[pa.Table], pa.Table],
    chosen: Sequence[int],
) -> list[bytes]:
    """Run ``select`` on the blocks in the chosen partitions; return the results with any rows."""
    if not chosen:
        return []
    with working():
        return context.runJob(blocks, partial(_select, select), list(chosen))


def _select(select: Callable[[pa.Table], pa.Table], blocks: Iterable[bytes]) -> Iterator[bytes]:
    for block in blocks:  # to the end: Spark discards a worker that leaves input unread
        kept = select(from_block(block))
        if kept.num_rows:
            yield as_sent(kept)
    settle()


def cached_rows(rows: "RDD[bytes]", partitions: Sequence[int]) -> list[bytes]:
    """Return the rows of some partitions of a persisted RDD straight from Spark's JVM.

    The public ``runJob`` would send them through a Python worker. This calls its internals instead
    (PySpark 4.2, ``SparkContext.runJob``).
    """
    from pyspark.util import _load_from_socket

    context: Any = rows.context
    jvm = _handles(context._gateway)
    source: Any = rows
    # Sent as text: a list would take one call to Java for each number.
    wanted = jvm.mapper.readValue(str(list(partitions)), jvm.list_class)
    address = jvm.run_job(context._jsc.sc(), source._jrdd, wanted)
    with _load_from_socket(address, source._jrdd_deserializer) as stream:
        return list(stream)


class _Handles:
    """The Java objects in use. Looking them up by name takes a call for each part, 4 ms in all."""

    def __init__(self, jvm: Any) -> None:
        self.mapper = jvm.com.fasterxml.jackson.databind.ObjectMapper()
        self.list_class = jvm.java.util.ArrayList._java_lang_class
        self.run_job = jvm.PythonRDD.runJob


@lru_cache(maxsize=1)
def _handles(gateway: Any) -> _Handles:
    return _Handles(gateway.jvm)


def discard_blocks(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Read blocks and return none: a job that does nothing but cache its partitions."""
    for _ in blocks:  # to the end: Spark discards a worker that leaves input unread
        pass
    settle()
    return iter(())
