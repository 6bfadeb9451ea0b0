"""Generate the data of `programs.py`: a text of common and rare words, and the tables of PigMix.

A given size in gigabytes is the size of the text, and of the largest table. Each table is written
as text with tabs, for RDDs, and as Parquet with the same rows, for data frames.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

VOCABULARY = 8_000
"""The number of distinct words, as in Titian's evaluation."""
ZIPF = 1.0
WORDS = 10
"""The number of words in a line."""
BLOCK = 200_000
"""The number of rows in each file."""
USERS = 100_000
FIELDS = ("user", "action", "timespent", "term", "ip", "time", "revenue", "info", "links")


def generate(folder: Path, gigabytes: float, seed: int = 1) -> None:
    """Write all data below a folder."""
    rng = np.random.default_rng(seed)
    size = round(gigabytes * 1e9)
    _write(folder / "words", _lines(rng, size), size, ("line",))
    _write(folder / "views", _views(rng), size, FIELDS)
    names = _name(np.arange(USERS))
    for name, rows in (("users", names[::2]), ("power_users", names[:500])):
        number = pa.array(np.arange(len(rows)) + 5_550_000).cast(pa.string())
        table = pa.table([rows, number], ["name", "phone"])
        _write(folder / name, iter([table]), 1, ("name", "phone"))
    wide = pa.table([_name(np.arange(0, 2 * USERS, 3)), pa.nulls(2 * USERS // 3 + 1, pa.string())],
                    ["name", "rest"])  # fmt: skip
    _write(folder / "wide", iter([wide.set_column(1, "rest", wide["name"])]), 1, ("name", "rest"))


def _write(folder: Path, blocks: Iterator[pa.Table], size: int, fields: tuple[str, ...]) -> None:
    """Write a table block by block, as text and as Parquet, until the text has ``size`` bytes."""
    text, parquet = folder.with_suffix(".txt"), folder
    for path in (text, parquet):
        path.mkdir(parents=True)
    written = number = 0
    while written < size:
        table = next(blocks)
        columns = [table[name].combine_chunks().cast(pa.string()) for name in fields]
        lines = columns[0] if len(columns) == 1 else pc.binary_join_element_wise(*columns, "\t")
        path = text / f"{number:05d}.txt"
        path.write_text("\n".join(lines.to_pylist()) + "\n")
        pq.write_table(table, parquet / f"{number:05d}.parquet")
        written += path.stat().st_size
        number += 1


def _lines(rng: np.random.Generator, size: int) -> Iterator[pa.Table]:
    shares = 1 / np.arange(1, VOCABULARY + 1) ** ZIPF
    ends = np.cumsum(shares / shares.sum())
    words = pa.array([f"w{number:x}{'aeiou'[number % 5] * (number % 7)}" for number in
                      range(VOCABULARY)])  # fmt: skip
    while True:
        drawn = np.searchsorted(ends, rng.random(WORDS * BLOCK))
        columns = [words.take(pa.array(drawn[word::WORDS])) for word in range(WORDS)]
        yield pa.table([pc.binary_join_element_wise(*columns, " ")], ["line"])


def _views(rng: np.random.Generator) -> Iterator[pa.Table]:
    while True:
        user = (USERS * rng.random(BLOCK) ** 3).astype(np.int64)  # some users view many pages
        page = rng.integers(0, 1 << 30, BLOCK)
        number = pa.array(page).cast(pa.string())
        columns = {
            "user": _name(user),
            "action": pa.array(rng.integers(1, 3, BLOCK)),
            "timespent": pa.array(rng.integers(0, 100, BLOCK)),
            "term": pc.binary_join_element_wise("term", pa.array(page % 997).cast(pa.string()), ""),
            "ip": pa.array(rng.integers(0, 5_000, BLOCK)),
            "time": pa.array(rng.integers(0, 86_400, BLOCK)),
            "revenue": pa.array(rng.integers(0, 1_000, BLOCK)),
            "info": pc.binary_join_element_wise("a=", number, ";b=", number, ""),
            "links": pc.binary_join_element_wise("p", number, "|q", number, ""),
        }
        yield pa.table(columns)


def _name(numbers: "np.ndarray[tuple[int], np.dtype[np.int64]]") -> pa.Array:
    return pc.binary_join_element_wise("user name ", pa.array(numbers).cast(pa.string()), "")
