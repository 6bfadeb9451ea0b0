"""Pairs of equal TPC-H and TPC-DS queries."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from random import Random

import sqlglot

from .prepared import completed
from .rules import rewritten
from .schema import Schema, stored

TPCH = Path(__file__).parent.parent.parent / "capturing" / "tpch"
PAIRS = 200
RULES = 3
"""The least number of rules applied to get one query of a TPC-H pair from the other."""


@dataclass(frozen=True)
class Pair:
    """Two queries that give the same rows."""

    name: str
    schema: Schema
    one: str
    other: str
    rules: tuple[str, ...]


def tpch_queries() -> dict[str, str]:
    """Return the 22 TPC-H queries by name, each with a deterministic result."""
    schema = stored("tpch")
    paths = sorted(TPCH.glob("q*.sql"))
    return {path.stem: completed(path.read_text("utf-8"), schema) for path in paths}


def tpcds_queries(folder: Path) -> dict[str, str]:
    """Return the queries of TPC-DS for DuckDB, from a folder of queries for Spark."""
    found = {}
    for path in sorted(folder.glob("q*.sql")):
        (text,) = sqlglot.transpile(path.read_text("utf-8"), read="spark", write="duckdb")
        found[path.stem] = completed(text, stored("tpcds"))
    return found


def tpch_pairs(most: int = PAIRS) -> Iterator[Pair]:
    """Yield TPC-H pairs: one for each query, and then a second one for each, by other rules."""
    texts, seen = tpch_queries(), set[str]()
    for seed in count():
        for name, text in texts.items():
            if len(seen) == most:
                return
            pair = made(f"{name}-{seed}", text, stored("tpch"), Random(f"{name} {seed}"), RULES)
            if pair.other not in seen:
                seen.add(pair.other)
                yield pair


def tpcds_pairs(folder: Path) -> Iterator[Pair]:
    """Yield one pair for each TPC-DS query."""
    for name, text in tpcds_queries(folder).items():
        yield made(name, text, stored("tpcds"), Random(f"tpcds {name}"), 1)


def made(name: str, text: str, schema: Schema, source: Random, least: int) -> Pair:
    """Return a query together with an equal query."""
    other, rules = rewritten(text, schema, source, least)
    return Pair(name, schema, text, other, tuple(rules))
