"""Keep a trace in memory as numbers, and write it to files of named triples, piece by piece."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq

from provhouse.model.arrays import I32, I64
from provhouse.model.columns import DST, DST_TABLE, OP, SRC, SRC_TABLE

Format = Literal["csv", "parquet"]
ROWS = 1 << 20
"""The number of triples in one file: about 160 MB of CSV."""
PIECE = 1 << 17
"""The number of triples whose names are in memory at the same time."""
DIGITS = 9


@dataclass(frozen=True)
class Trace:
    """One copy of a trace. Items are numbered from 0, and each item is in at least one triple."""

    src: I32
    dst: I32
    """``src`` and ``dst`` are the ends of each triple: distinct pairs, ordered as in the files."""
    table: I32
    """The table of each item."""
    tables: tuple[str, ...]
    ops: tuple[str, ...]
    """For each table, the name of the operation that makes its items."""
    document: I32
    """The document that each item belongs to."""
    documents: tuple[str, ...]
    tabled: bool = True
    """Whether the files name the tables."""


def write(trace: Trace, out: Path, copies: int = 1, form: Format = "csv") -> list[Path]:
    """Write files of at most ``ROWS`` triples, copy by copy, and return their paths in order."""
    out.mkdir(parents=True, exist_ok=True)
    return [
        _write_file(trace, copy, first, out / f"copy-{copy:02}-part-{part:03}.{form}", form)
        for copy in range(1, copies + 1)
        for part, first in enumerate(range(0, len(trace.src), ROWS))
    ]


def _write_file(trace: Trace, copy: int, first: int, path: Path, form: Format) -> Path:
    pieces = _pieces(trace, copy, first, min(first + ROWS, len(trace.src)))
    if form == "csv":
        with pa_csv.CSVWriter(path, SCHEMA) as csv:
            for piece in pieces:
                csv.write_table(piece)
    else:
        with pq.ParquetWriter(path, SCHEMA) as parquet:
            for piece in pieces:
                parquet.write_table(piece)
    return path


SCHEMA = pa.schema([(name, pa.string()) for name in (SRC, DST, OP, SRC_TABLE, DST_TABLE)])


def _pieces(trace: Trace, copy: int, first: int, end: int) -> Iterator[pa.Table]:
    for start in range(first, end, PIECE):
        rows = slice(start, min(start + PIECE, end))
        yield named(trace, copy, trace.src[rows], trace.dst[rows])


def named(trace: Trace, copy: int, src: I32, dst: I32) -> pa.Table:
    """Return triples as rows of the files, with names, operations and tables."""
    tables = pa.array(trace.tables if trace.tabled else [""] * len(trace.tables))
    return pa.table(
        {
            SRC: names(trace, copy, src),
            DST: names(trace, copy, dst),
            OP: pa.array(trace.ops).take(pa.array(trace.table[dst])),
            SRC_TABLE: tables.take(pa.array(trace.table[src])),
            DST_TABLE: tables.take(pa.array(trace.table[dst])),
        },
        schema=SCHEMA,
    )


def names(trace: Trace, copy: int, items: I32) -> pa.Array:
    """Return the names of items. A name has 40 to 60 characters.

    It consists of the copy, the document, the table and the number of the item.
    """
    documents = pa.array([f"copy-{copy:02}/{document}" for document in trace.documents])
    return pc.binary_join_element_wise(
        documents.take(pa.array(trace.document[items])),
        pa.array(trace.tables).take(pa.array(trace.table[items])),
        pc.utf8_lpad(pa.array(items).cast(pa.string()), DIGITS, "0"),
        "/",
    )


def in_order(key: I64, src: I64, dst: I64) -> tuple[I32, I32]:
    """Return the distinct triples in the order in which a workflow writes them.

    ``key`` has a number for each item. The triples are ordered by the number of their dst.
    """
    order = np.lexsort((src, dst, key[dst]))
    src, dst = src[order], dst[order]
    kept = np.ones(len(src), bool)
    kept[1:] = (src[1:] != src[:-1]) | (dst[1:] != dst[:-1])
    return src[kept].astype(np.int32), dst[kept].astype(np.int32)


def documents(rng: np.random.Generator, count: int) -> tuple[str, ...]:
    """Return random names of documents, which look like the accession numbers of filings."""
    filers = rng.choice(2_000_000, count, replace=False)
    years = rng.integers(10, 20, count)
    return tuple(
        f"{filer:010}-{year}-{number:06}"
        for number, (filer, year) in enumerate(zip(filers.tolist(), years.tolist(), strict=True), 1)
    )


def operations(verbs: Sequence[str], tables: Sequence[str]) -> tuple[str, ...]:
    """Return, for each table, the name of the operation that makes its items."""
    return tuple(f"{verb}_{table}" for verb, table in zip(verbs, tables, strict=True))
