"""Search all files of a warehouse for given strings, in every format, compressed or not."""

import gzip
import json
import lzma
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import xxhash

from provhouse.store.names.lookup import Lookup


def contents(path: Path) -> Iterator[bytes]:
    """Yield the bytes of a file, and the bytes of the decoded or decompressed contents."""
    raw = path.read_bytes()
    yield raw
    if raw[:4] == b"PAR1":
        yield from _values(pq.read_table(path, partitioning=None))
    elif raw[:6] == b"ARROW1":
        rows = pa.ipc.open_file(path).read_all()
        yield from _values(rows)
        yield from _buffers(rows)
    elif raw[:2] == b"\x1f\x8b":
        yield gzip.decompress(raw)
    elif raw[:6] == b"\xfd7zXZ\0":
        yield lzma.decompress(raw)
    elif raw[:4] == b"\x28\xb5\x2f\xfd":
        yield pa.input_stream(pa.BufferReader(raw), compression="zstd").read()


def _values(rows: pa.Table) -> Iterator[bytes]:
    """Yield the values in each column: integers in binary, others as strings and as JSON."""
    for column in rows.columns:
        if pa.types.is_integer(column.type):
            yield column.combine_chunks().cast(pa.int64()).buffers()[1].to_pybytes()
        else:
            yield "\n".join(map(str, column.to_pylist())).encode()
            yield "\n".join(map(json.dumps, column.to_pylist())).encode()


def _buffers(rows: pa.Table) -> Iterator[bytes]:
    """Yield the buffers of an Arrow table. A buffer may contain bytes at the position of a null."""
    for column in rows.columns:
        for chunk in column.chunks:
            yield from (buffer.to_pybytes() for buffer in chunk.buffers() if buffer)


def forms(text: str) -> set[bytes]:
    """Return the bytes of a string, in each form in which a file may contain the string."""
    texts = {text, json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1]}
    texts |= {json.dumps(each)[1:-1] for each in texts}  # JSON within JSON
    return {each.encode(code) for each in texts for code in ("utf-8", "utf-16-le", "utf-16-be")}


def hash_forms(name: str) -> set[bytes]:
    """Return the forms of a name's hash.

    A hash in a file could confirm a guess of the name.
    """
    hashed = xxhash.xxh64_intdigest(name.encode())
    return {hashed.to_bytes(8, "little"), hashed.to_bytes(8, "big"), str(hashed).encode()}


def looks_up(path: Path, name: str) -> bool:
    """Return whether a file is a look-up in which a guess of the name would be confirmed."""
    if not path.name.endswith(".lookup.npy"):
        return False
    hashed = np.array([xxhash.xxh64_intdigest(name.encode())], np.uint64)
    lookup = Lookup(np.load(path))
    return bool(lookup.matches(lookup.search(hashed), hashed).any())


def leftovers(folders: Iterable[Path], texts: Iterable[str], names: Iterable[str]) -> set[str]:
    """Return a line for each string, name or name hash that any file in the folders contains."""
    needles, names = {text: forms(text) for text in texts}, list(names)
    for name in names:
        needles[name] = forms(name)
        needles[f"hash of {name}"] = hash_forms(name)
    files = [
        (path, f"in {path.relative_to(folder)}")
        for folder in folders
        for path in folder.rglob("*")
        if path.is_file()
    ]
    return {
        f"{text[:30]} {place}"
        for path, place in files
        for part in contents(path)
        for text, each in needles.items()
        if any(needle in part for needle in each)
    } | {
        f"hash of {name}"[:30] + f" {place}"
        for path, place in files
        for name in names
        if looks_up(path, name)
    }
