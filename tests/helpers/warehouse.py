"""A warehouse for tests that checks its invariants after every ingest."""

import csv
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

import provhouse
from helpers.invariant import check
from helpers.oracle import Expected, Triple
from provhouse.care.check import check as deep_check
from provhouse.cypher.access import running
from provhouse.cypher.address import Address
from provhouse.ingest.ingest import ingest
from provhouse.ingest.ingest_summary import Summary
from provhouse.model.answer import Answer
from provhouse.model.columns import DST, DST_TABLE, OP, SRC, SRC_TABLE
from provhouse.model.progress import Silent
from provhouse.model.settings import THETA, Settings
from provhouse.query.lineage.ask import Asker
from provhouse.store.warehouse.commits import Commit, current
from provhouse.store.warehouse.layout import Layout

COLUMNS = (SRC, DST, OP, SRC_TABLE, DST_TABLE)


@dataclass
class House:
    """One warehouse in its own folder. It shares Spark and Neo4j with all other tests."""

    settings: Settings
    session: SparkSession
    theta: int = field(init=False)
    """The largest theta of all ingests."""
    bare: bool = False
    """Whether the warehouse may have items without any triples, whether live or dead."""

    def __post_init__(self) -> None:
        self.theta = self.settings.theta or THETA

    @property
    def address(self) -> Address:
        """The address of the warehouse's Neo4j, which must be running."""
        found = running(self.settings)
        assert found
        return found

    @property
    def layout(self) -> Layout:
        """The paths of the warehouse's files and folders."""
        return Layout(self.settings.warehouse)

    @property
    def commit(self) -> Commit:
        """The commit record of the current generation."""
        found = current(self.layout)
        assert found
        return found

    def write(self, triples: Iterable[Triple], name: str = "triples.csv") -> Path:
        """Write triples to a CSV file next to the warehouse, and return the file's path."""
        path = self.settings.warehouse.parent / name
        with path.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([COLUMNS, *triples])
        return path

    def ingest(self, triples: Iterable[Triple], **options: Any) -> Summary:
        """Ingest triples, and check the invariants."""
        return self.ingest_files(self.write(triples), **options)

    def ingest_files(self, *files: Path, **options: Any) -> Summary:
        """Ingest files, and check the invariants."""
        summary = ingest(files, self.settings, progress=Silent(), **options)
        self.check()
        return summary

    def check(self, *, by_spark: bool = False) -> None:
        """Check the sets, placements, numbers and totals of the current generation.

        If ``by_spark``, Spark reads the triples instead of Delta's own reader. The first time, this
        takes ten seconds.
        """
        session = self.session if by_spark else None
        check(self.layout, session, self.address, self.theta, bare=self.bare)

    def check_deep(self, *, by_spark: bool = False) -> None:
        """Run ``provhouse check --deep``, which must find no damage, and check the invariants."""
        assert deep_check(self.settings, Silent(), deep=True).damages == ()
        self.check(by_spark=by_spark)

    def open(self) -> provhouse.Warehouse:
        """Open the warehouse through the Python API."""
        home = self.settings.neo4j_home
        return provhouse.open(self.settings.warehouse, neo4j_home=home, master="local[2]")

    def capture(self, **options: Any) -> "AbstractContextManager[provhouse.Capture]":
        """Capture the writes of the shared Spark session into this warehouse."""
        home = self.settings.neo4j_home
        warehouse = self.settings.warehouse
        return provhouse.capture(self.session, warehouse, neo4j_home=home, **options)

    @contextmanager
    def asker(self) -> Iterator[Asker]:
        """Yield an ``Asker`` for questions about the current generation."""
        with Asker(self.settings, Silent()) as opened:
            yield opened


def content(answer: Answer) -> Expected:
    """Return the contents of an answer as Python sets. Fail if an item or a triple occurs twice."""
    items = [(row["item"], row["depth"]) for row in answer.items.to_pylist()]
    triples = [(row["src"], row["dst"], row["op"]) for row in answer.triples.to_pylist()]
    assert len(set(items)) == len(items)
    assert len(set(triples)) == len(triples)
    return Expected(set(items), set(triples), answer.truncated is not None)
