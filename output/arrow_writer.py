"""Results as Arrow streams, for programs that need tables instead of text.

A result is a dataclass with Arrow tables in its fields, at any depth. Each table becomes one stream
in Arrow's IPC format; a result without tables becomes one stream without columns. The metadata of
the first stream contains the other fields as a JSON object. In this object, each table is replaced
by a number: the position of the table's stream.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from io import BytesIO
from types import NoneType
from typing import Any, get_args, get_origin, get_type_hints

import numpy as np
import pyarrow as pa

HEADER = b"provhouse"
"""The key of the JSON object in the metadata of the first stream."""
ROWS = 1 << 16
"""The maximum number of rows in one piece."""


def pieces(result: object) -> Iterator[bytes]:
    """Yield the streams of a result in pieces of up to ``ROWS`` rows."""
    tables: list[pa.Table] = []
    header = json.dumps(_encoded(result, tables))
    first, *others = tables or [pa.table({})]
    for table in (first.replace_schema_metadata({HEADER: header}), *others):
        sink = BytesIO()
        with pa.ipc.new_stream(sink, table.schema) as out:
            for batch in table.to_batches(max_chunksize=ROWS):
                out.write_batch(batch)
                yield _taken(sink)
        yield _taken(sink)


def read(kind: Any, content: bytes) -> Any:
    """Return the result of type ``kind`` that ``pieces`` wrote, without copying its tables."""
    source = pa.BufferReader(content)
    tables: list[pa.Table] = []
    while source.tell() < len(content):
        with pa.ipc.open_stream(source) as stream:
            tables.append(stream.read_all())
    header = tables[0].schema.metadata[HEADER]
    tables[0] = tables[0].replace_schema_metadata(None)
    return _decoded(kind, json.loads(header), tables)


def _taken(sink: BytesIO) -> bytes:
    content = sink.getvalue()
    sink.seek(0)
    sink.truncate()
    return content


def _encoded(value: object, tables: list[pa.Table]) -> object:
    """Return a value as JSON, and add its tables to ``tables``."""
    if isinstance(value, pa.Table):
        tables.append(value)
        return len(tables) - 1
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, list | tuple):
        return [_encoded(one, tables) for one in value]
    if is_dataclass(value):
        return {field.name: _encoded(getattr(value, field.name), tables) for field in fields(value)}
    return value


def _decoded(kind: Any, value: Any, tables: list[pa.Table]) -> Any:
    """Return the value of type ``kind`` for the JSON that ``_encoded`` made from it."""
    make: Callable[..., Any] = kind
    if value is None:
        return None
    if kind is pa.Table:
        return tables[value]
    kind = getattr(kind, "__supertype__", kind)  # the type behind a NewType
    kinds = get_args(kind)
    if get_origin(kind) is np.ndarray:
        return np.array(value, get_args(kinds[1])[0])
    if NoneType in kinds:
        (kind,) = set(kinds) - {NoneType}
        return _decoded(kind, value, tables)
    if get_origin(kind) in (list, tuple):
        return get_origin(kind)(_decoded(kinds[0], one, tables) for one in value)
    if is_dataclass(kind):
        types = get_type_hints(kind)
        return make(**{name: _decoded(types[name], one, tables) for name, one in value.items()})
    return value
