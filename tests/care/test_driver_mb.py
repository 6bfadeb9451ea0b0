"""With hardly any memory for arrays, every kind of change gives the same rows and answers.

Without a limit, the changes read tables in large pieces. With the limit, the same changes read
tables in tiny pieces.
"""

from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

import pytest

from helpers.graphs import graph
from helpers.oracle import Oracle, Triple
from helpers.shared import Input, Shared, write
from helpers.warehouse import House, content
from provhouse.care.compact import compact
from provhouse.care.retract import Retracting, retract
from provhouse.care.rollback import rollback
from provhouse.commit import graph_rows
from provhouse.ingest.ingest import ingest
from provhouse.model.columns import TABLES
from provhouse.model.progress import Silent
from provhouse.model.question import Direction, Method
from provhouse.runtime import room, storage
from provhouse.store.tables import delta_tables as delta
from provhouse.store.tables.snapshot import Snapshot

Houses = Callable[..., House]
METHODS: tuple[Method, ...] = ("csprov", "rq", "ccprov")
DIRECTIONS: tuple[Direction, ...] = ("upstream", "downstream")
OWN = ("file", "files", "time")
"""Columns that contain paths or times, and therefore differ between two warehouses."""
SHARED = Shared("s", "any", (Input("0.0", "f"), Input("1.1", "f")), ("u", "v", "w"))


@pytest.mark.long
@pytest.mark.parametrize("everything", [False, pytest.param(True, marks=pytest.mark.long)])
def test_a_tiny_limit_changes_nothing(
    everything: bool, houses: Houses, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The short form of the test has no retraction, no compaction, and fewer questions."""
    spilled = tiny(monkeypatch)
    house, whole = houses(theta=8, driver_mb=1), houses(theta=8)
    graphs = [triple for seed in range(22 if everything else 11) for triple in graph(seed).triples]
    links = [Triple(f"{n}.0", f"{n + 5}.1", "link") for n in range(0, 12, 2)]

    def both(change: Callable[[House], object]) -> None:
        before = len(spilled)
        with pytest.MonkeyPatch.context() as pieces:
            for module in (delta, graph_rows):
                pieces.setattr(module, "PIECE_ROWS", 7)
            change(house)
        assert len(spilled) > before, "nothing was in a file"
        change(whole)
        assert tables(house) == tables(whole)

    def brings(name: str, triples: list[Triple], **options: Any) -> Callable[[House], object]:
        return lambda one: ingest(
            [one.write(triples, name)], one.settings, progress=Silent(), **options
        )

    both(brings("a.csv", graphs[::2], run="a"))
    both(brings("b.csv", graphs[::3], run="b"))
    both(lambda one: ingest([beside(one)], one.settings, progress=Silent()))
    both(brings("c.csv", links))  # this merges components
    both(brings("a.csv", graphs[::4], run="a"))  # this ends triples and assertions
    if everything:
        both(lambda one: retract(Retracting(run="b"), one.settings, Silent()))
        both(lambda one: rollback(one.settings, Silent()))
    both(lambda one: rollback(one.settings, Silent()))
    house.check_deep()
    if everything:
        both(lambda one: compact(one.settings, Silent()))
        house.check_deep()
    held = {*graphs[::2], *graphs[::3], *links, *SHARED.triples()}
    oracle = Oracle.of(sorted(held))
    with house.asker() as asker:
        for item in sorted({triple.src for triple in held})[:: 25 if everything else 150]:
            for direction in DIRECTIONS:
                for method in METHODS:
                    answer = asker.ask(item, direction, method=method)
                    assert content(answer) == oracle.ask(item, direction)


def beside(house: House) -> Path:
    """Write the shared derivation to a file next to the warehouse."""
    path = house.settings.warehouse.parent / "shared.csv"
    write(path, SHARED.rows())
    return path


def tiny(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Treat ``driver_mb`` as bytes; return a list to which each array's size on disk is added."""
    monkeypatch.setattr(room, "MEGABYTE", 1)
    monkeypatch.setattr(room, "LEAST", 1)
    monkeypatch.setattr(room, "BLOCK", 50)
    spilled: list[int] = []
    mapped = storage.mapped_file

    def seen(file: IO[bytes], dtype: Any, count: int) -> Any:
        spilled.append(count)
        return mapped(file, dtype, count)

    monkeypatch.setattr(room, "mapped_file", seen)
    return spilled


def tables(house: House) -> dict[str, object]:
    """Return the rows that the current generation shows, and the totals in its commit record."""
    snapshot = Snapshot(house.layout, house.commit)
    found = {name: snapshot.rows(name) for name in TABLES if name != "triples"}
    shown = {
        name: rows.select([c for c in rows.column_names if c not in OWN])
        for name, rows in found.items()
    }
    return {**shown, "totals": house.commit.totals, "beyond": house.commit.beyond}
