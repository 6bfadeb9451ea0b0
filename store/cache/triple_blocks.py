"""Encode triples as blocks of bytes, which are kept and sent, and decode these blocks."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from provhouse.model.columns import ATTRIBUTES, DESCRIPTION, DST, OP, ORIGIN, SRC
from provhouse.runtime.spark.session import working
from provhouse.runtime.spark.workers import freeze_imports

if TYPE_CHECKING:
    from pyspark import RDD, SparkContext

SENT = pa.schema(
    [(SRC, pa.int64()), (DST, pa.int64()), (OP, pa.string()), (ATTRIBUTES, pa.string())]
)
"""The schema of the triples that Spark's workers send to this process.

Strings are not dictionary-encoded, because even a few rows would be sent with the entire
dictionary.
"""
_CODED = pa.dictionary(pa.int32(), pa.string())
DESCRIBED = pa.schema(
    [
        *(
            (name, _CODED if kind == pa.string() else kind)
            for name, kind in zip(SENT.names, SENT.types, strict=True)
        ),
        (ORIGIN, pa.int32()),
        *((name, _CODED if kind == pa.string() else kind) for name, kind in DESCRIPTION.items()),
    ]
)
"""The schema of triples with their origins and the columns of derivations.

Strings are dictionary-encoded, because many triples share a few distinct strings.
"""


def as_block(rows: pa.Table, schema: pa.Schema = SENT) -> bytes:
    """Return, as bytes to cache, the columns of triples that a schema names.

    Integers get the narrowest type that fits, and each distinct string is stored once.
    """
    return _bytes(pa.table({name: _narrow(rows[name].combine_chunks()) for name in schema.names}))


def _narrow(column: pa.Array) -> pa.Array:
    if pa.types.is_integer(column.type):
        least, most = (value or 0 for value in pc.min_max(column).as_py().values())
        return column.cast(pa.int32() if least >= -(2**31) and most < 2**31 else pa.int64())
    if pa.types.is_floating(column.type):
        return column
    coded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    if isinstance(coded, pa.ChunkedArray):
        coded = coded.combine_chunks()
    width = next(w for w in (pa.int8(), pa.int16(), pa.int32()) if _fits(len(coded.dictionary), w))
    return pa.DictionaryArray.from_arrays(coded.indices.cast(width), coded.dictionary)


def _fits(count: int, width: pa.DataType) -> bool:
    return bool(count <= 1 << (width.bit_width - 1))  # the last index is count - 1


def as_sent(rows: pa.Table) -> bytes:
    """Return triples as bytes that a worker can send, with the schema ``SENT``."""
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
    """Return one table with the triples of several blocks that workers have sent."""
    return pa.concat_tables([SENT.empty_table(), *map(from_block, blocks)]).combine_chunks()


def run_on(
    context: "SparkContext",
    blocks: "RDD[bytes]",
    select: Callable[[pa.Table], pa.Table],
    chosen: Sequence[int],
) -> list[bytes]:
    """Run ``select`` on the blocks of the chosen partitions; return the results that have rows."""
    if not chosen:
        return []
    with working():
        return context.runJob(blocks, partial(_select, select), list(chosen))


def _select(select: Callable[[pa.Table], pa.Table], blocks: Iterable[bytes]) -> Iterator[bytes]:
    for block in blocks:  # to the end: Spark discards a worker that leaves input unread
        kept = select(from_block(block))
        if kept.num_rows:
            yield as_sent(kept)
    freeze_imports()


def discard_blocks(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Read all blocks and return nothing; benchmarks time this as a job that does no work."""
    for _ in blocks:  # to the end: Spark discards a worker that leaves input unread
        pass
    freeze_imports()
    return iter(())
