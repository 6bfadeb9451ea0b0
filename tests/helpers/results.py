"""Fixtures for all tests: handmade results, at least one of each kind that commands print."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import date
from pathlib import Path

import pyarrow as pa
import pytest

from provhouse.care.damage_report import Damage, Report
from provhouse.care.forget import Forgotten
from provhouse.care.prune import Pruned
from provhouse.care.retract import Retraction
from provhouse.equivalence.refutation import Example, Row
from provhouse.equivalence.verdict import Verdict
from provhouse.ingest.ingest_summary import Reject, Summary
from provhouse.ingest.preview import Component, FileKind, Preview
from provhouse.model.answer import Answer, Counts, Read
from provhouse.model.arrays import SetId
from provhouse.query.lineage.cost_estimates import Explanation
from provhouse.query.lineage.diff import Change, Diff, Side
from provhouse.query.lineage.path import Paths
from provhouse.query.listing.find import Finding
from provhouse.query.listing.generations import ChangeKind as Made
from provhouse.query.listing.generations import Generation
from provhouse.query.listing.status import Status
from provhouse.query.reading.cost import Estimate
from provhouse.store.warehouse.manifest import ExportPart, Manifest

ODD = "odd \x1b[31m[red]\u202eevil\nline\tname"


CODES: dict[str, int] = {}
"""The dictionary code of each name. As in an answer, all columns use the same codes."""


def coded(names: Iterable[str]) -> pa.DictionaryArray:
    """Return names as a dictionary-encoded column, as in an answer."""
    codes = [CODES.setdefault(name, len(CODES)) for name in names]
    return pa.DictionaryArray.from_arrays(pa.array(codes, pa.int32()), pa.array(CODES, pa.string()))


def items(*rows: tuple[str, str, int]) -> pa.Table:
    """Return items as an Arrow table with the columns of an answer."""
    names, tables, depths = zip(*rows, strict=True) if rows else ((), (), ())
    return pa.table({
        "item": coded(names),
        "table": pa.array(tables, pa.string()),
        "depth": pa.array(depths, pa.int64()),
    })  # fmt: skip


def triples(*rows: tuple[str, str, str, str]) -> pa.Table:
    """Return triples as an Arrow table with the columns of an answer."""
    columns = zip(*rows, strict=True) if rows else ((), (), (), ())
    src, dst, op, attributes = (list(column) for column in columns)
    texts = {"op": pa.array(op, pa.string()), "attributes": pa.array(attributes, pa.string())}
    return pa.table({"src": coded(src), "dst": coded(dst), **texts})


SMALL = Answer(
    item="report:2013-02",
    table="report",
    direction="upstream",
    method="csprov",
    why="The set of the item has few others upstream",
    set_id=SetId(12),
    generation=3,
    time="2026-01-02T03:04:05Z",
    complete=True,
    truncated=None,
    items=items(
        ("monthly:UA", "monthly", 1),
        (ODD, "raw", 2),
        ("raw:ünï·8", "raw", 2),
        ("untabled", "", 2),
    ),
    triples=triples(
        ("monthly:UA", "report:2013-02", "summarise", '{"by":"carrier","run":"7"}'),
        (ODD, "monthly:UA", "clean", "{}"),
        ("raw:ünï·8", "monthly:UA", "clean", '{"note":"a \\"quoted\\" word"}'),
        ("untabled", "monthly:UA", "", "{}"),
    ),
    read=Read(sets=2, partitions=1, triples=17),
    seconds={
        "locate": 0.001,
        "walk": 0.012,
        "fetch": 0.03,
        "recurse": 0.001,
        "name": 0.001,
        "total": 0.04512345,
    },
)


def long_answer() -> Answer:
    """Return an answer with a chain of 30 tables and with three items per level."""
    rows = [(f"t{d:02}:{n}", f"t{d:02}", d) for d in range(1, 31) for n in range(3)]
    steps = [(f"t{d + 1:02}:{n}", f"t{d:02}:{n}", f"op{d % 7}", "{}")
             for d in range(30) for n in range(3)]  # fmt: skip
    return replace(SMALL, items=items(*rows), triples=triples(*steps), truncated="depth")


def empty_answer() -> Answer:
    """Return the answer about a source, which has nothing upstream."""
    return replace(SMALL, items=items(), triples=triples(), item="raw:1", table="raw")


@pytest.fixture
def small() -> Answer:
    """An answer with four items. The name of one item contains terminal escapes."""
    return SMALL


@pytest.fixture
def long() -> Answer:
    """An answer that is too long for one screen."""
    return long_answer()


@pytest.fixture
def empty() -> Answer:
    """An answer with nothing upstream."""
    return empty_answer()


@pytest.fixture
def cyclic() -> Answer:
    """An answer about an item that is downstream of itself."""
    return replace(
        SMALL, item="a", table="", direction="downstream", items=items(("b", "", 1), ("a", "", 2)),
        triples=triples(("a", "b", "x", "{}"), ("b", "a", "y", "{}")),
    )  # fmt: skip


@pytest.fixture
def filtered(small: Answer) -> Answer:
    """An answer that is filtered to the two nearest items of a table.

    Each of its triples connects one of these items with an item of another table.
    """
    kept = small.items.slice(1, 2)
    return replace(small, items=kept, triples=small.triples.slice(1, 2), hidden=2,
                   truncated="limit")  # fmt: skip


@pytest.fixture
def unmatched(empty: Answer) -> Answer:
    """An answer whose filters hide everything upstream."""
    return replace(empty, hidden=1)


@pytest.fixture
def erased(small: Answer) -> Answer:
    """An answer with items upstream, some of which are erased."""
    return replace(small, erased=1_200)


@pytest.fixture
def all_erased(empty: Answer) -> Answer:
    """An answer with nothing upstream except erased items."""
    return replace(empty, erased=1)


@pytest.fixture
def counts(empty: Answer) -> Answer:
    """An answer that counts items by table and triples by op."""
    tables = pa.table({"table": ["monthly", "", "raw\n"], "items": [1, 1_200, 2],
                       "nearest": [1, 2, 2], "farthest": [1, 40, 2]})  # fmt: skip
    ops = pa.table({"op": ["clean", ""], "triples": [1_300, 1]})
    return replace(empty, counts=Counts(tables, ops), hidden=3, truncated="depth")


@pytest.fixture
def way() -> Paths:
    """A path with two steps. The name of one of its items contains terminal escapes."""
    return Paths(
        source=ODD, target="report:2013-02", every=False, hops=2, generation=3,
        time="2026-01-02T03:04:05Z", complete=True,
        items=items((ODD, "raw", 0), ("monthly:UA", "monthly", 1), ("report:2013-02", "", 2)),
        triples=triples(
            (ODD, "monthly:UA", "clean", "{}"),
            ("monthly:UA", "report:2013-02", "summarise", '{"by":"carrier","run":"7"}'),
        ),
        read=Read(sets=1, partitions=1, triples=17), seconds={"fetch": 0.03, "total": 0.04},
    )  # fmt: skip


@pytest.fixture
def explanation() -> Explanation:
    """Estimates for three methods. Two of the methods need a copy of all triples."""
    return Explanation(
        item="report:2013-02", table="report", direction="upstream", method="csprov",
        why="The item's component has 1,200 items in 30 sets, of which few are needed",
        generation=3, time="2026-01-02T03:04:05Z",
        methods=(
            Estimate("csprov", Read(2, 1, 17), None, 0.04512, 0.0),
            Estimate("ccprov", Read(30, 64, 1_300), 4, 0.5, 12.3456789, guessed=True),
            Estimate("rq", Read(0, 64, 2_000_000), 4, 1.25, 12.3456789, guessed=True),
        ),
        seconds={"locate": 0.001, "walk": 0.012, "total": 0.0131},
        set_id=SetId(12), sets=(4, 12),
    )  # fmt: skip


@pytest.fixture
def finding() -> Finding:
    """A finding with the first two of three matches."""
    return Finding(
        text="o", anywhere=True, table=None, generation=3, time="2026-01-02T03:04:05Z", matches=3,
        truncated="limit", items=items((ODD, "raw", 0), ("report", "", 0)).drop_columns("depth"),
        seconds=0.1234567,
    )  # fmt: skip


@pytest.fixture
def diff() -> Diff:
    """A difference between two generations, with added and removed rows and with a new item."""
    none = Side(2, "2026-01-01T03:04:05Z", False, 0)
    came = Change(SMALL.items, SMALL.triples)
    went = Change(
        items(*[(f"old:{n}", "raw", 1) for n in range(30)]),
        triples(*[(f"old:{n}", "report:2013-02", "", "{}") for n in range(30)]),
    )
    seconds = {"from": 0.5, "to": 0.25, "compare": 0.001, "total": 0.752}
    until = Side(3, SMALL.time, True, SMALL.erased)
    return Diff("report:2013-02", "upstream", none, until, came, went, seconds)


@pytest.fixture
def generations() -> list[Generation]:
    """Generations made by changes of every kind."""
    changes: tuple[tuple[Made, int | None], ...] = (
        ("ingest", None), ("ingest", None), ("rollback", 1), ("compact", None),
        ("replace", None), ("retract", None), ("rollback", 0),
    )  # fmt: skip
    return [
        Generation(
            generation=n, time=f"2026-01-0{n}T03:04:05+00:00", current=n == 7, change=change,
            back_to=back_to, base=1 + (n > 3) + (n > 4), new_triples=1_234_567 * (n < 3),
            new_items=12 * (n < 3), duplicates=n, rejected=0, ended=30 * (n == 6),
            triples=1_234_567 * n, items=24, components=2, sets=3, partitions=40,
        )
        for n, (change, back_to) in enumerate(changes, 1)
    ]  # fmt: skip


@pytest.fixture
def report() -> Report:
    """A report of two damages. The path of one damage contains a terminal escape."""
    torn = "/w\x1b/sets should be a file of 1,200 bytes"
    behind, repair = "Neo4j should hold generation 2", "Run `provhouse check --repair`"
    return Report(
        generation=3, deep=False, looked_at={"generations": 3, "triples": 1_234_567}, seconds=1.25,
        damages=(
            Damage("table sets", torn, "It has 600", "Bring the folder back from a backup"),
            Damage("Neo4j", behind, "It does not", repair),
        ),
    )  # fmt: skip


@pytest.fixture
def pruned() -> Pruned:
    """A prune that deleted two of three bases, because the third is in use."""
    return Pruned(generation=9, first=7, pruned=6, bases=(1, 3), in_use=(2,),
                  bytes_freed=12_345_678, seconds=0.1234567)  # fmt: skip


@pytest.fixture
def verdict() -> Verdict:
    """A verdict with an example: a date, NULL, a list and a NaN."""
    rows: list[Row] = [(1, None, date(2026, 1, 2)), (2, ODD, [1, float("nan")])]
    example = Example({"t": rows}, only_first=rows, only_second=[])
    reason = "the rows differ for an example"
    return Verdict("different", reason, "filter, operator 2 of 3", example)


@pytest.fixture
def manifest() -> Manifest:
    """The manifest of the export of an answer to two files."""
    parts = (ExportPart("triples-00001.parquet", 2_000, 12_345, "0a" * 32),
             ExportPart("triples-00002.parquet", 1, 678, "ff" * 32))  # fmt: skip
    return Manifest("lineage", ODD, 3, "2026-01-02T03:04:05+00:00", 2_001, 1_300, parts)


@pytest.fixture
def summary() -> Summary:
    """The summary of an ingest with rejected rows, duplicates, and an item that has two tables."""
    return Summary(
        generation=2, triples=1_234_567, items=700_001, components=12, sets=340,
        set_dependencies=1, partitions=1, rejected=3, duplicates=2_001, two_tables=1,
        ended=0, new_triples=1_000, new_items=1, tables=("clean", "monthly", "raw"),
        rejects=Path("/w/base-0/rejects"),
        first_rejects=(Reject("a.csv", 7, "no src"), Reject("b\n.csv", 1_200, "no dst")),
        passed_over=7, first_passed_over=("in/b.avro", "in/c\x1b.txt"),
        bytes_on_disk=12_345_678, committed=True,
        seconds={"read": 1.25, "number": 2.5, "total": 4.0}, peak_memory_mb=2_048,
    )  # fmt: skip


@pytest.fixture
def retraction() -> Retraction:
    """A retraction that keeps one triple, because another origin also asserts it."""
    return Retraction(
        generation=4, ended=1_200, kept=1, triples=1_234_567, committed=True,
        seconds={"find": 0.5, "total": 0.75},
    )  # fmt: skip


@pytest.fixture
def forgotten() -> Forgotten:
    """The erasure of an item.

    The item is also in a rejected row, and no other item has its op.
    """
    return Forgotten(
        generation=4, names=1, items=2, triples=1_200, rejected=1, neo4j=True,
        seconds={"find": 0.5, "erase": 0.25, "total": 0.75},
    )  # fmt: skip


@pytest.fixture
def preview() -> Preview:
    """A preview of files in two formats, with rejected rows and an item that has two tables."""
    plain = tuple((name, (name,)) for name in ("src", "dst", "op"))
    mapped = (
        ("from\x1b", ("src",)), ("dst", ("dst",)), ("t", ("src_table", "dst_table")),
        ("run", ("scope", "attribute")), ("v", ("attribute",)), ("w", ("attribute",)),
    )  # fmt: skip
    return Preview(
        files=12, rows=1_000_003, rejected=3, items=700_000, new_items=699_999, two_tables=1,
        tables=("clean", "raw"), components=2, sets=41,
        forms=(FileKind("csv", 1, "a.csv", plain), FileKind("jsonl", 11, "b/1.jsonl", mapped)),
        rejects=(Reject("a.csv", 7, "no src"), Reject("b/1.jsonl", 8, "no run")),
        passed_over=1, first_passed_over=("in/b.avro",),
        largest=(Component(600_000, 40, (("",), ("clean", "raw"))),),
        seconds={"read": 1.25, "number": 2.5, "cut": 0.25, "total": 4.0},
    )  # fmt: skip


@pytest.fixture
def status() -> Status:
    """The status of a small warehouse whose Neo4j is running."""
    return Status(
        warehouse="/w", generation=3, triples=6, items=7, components=1, sets=2,
        set_dependencies=1, partitions=13, needed=1, erased=0, neo4j="bolt://127.0.0.1:7687",
        server=None,
    )  # fmt: skip
