"""Deletions of tables, ops, files and runs on random graphs give the brute-force fates."""

import csv
import os
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest

from helpers import boolean
from helpers.boolean import Edge, random_edges
from helpers.warehouse import House
from provhouse.model.deletion import Deletion
from provhouse.query.consequences.depends import depends
from provhouse.query.consequences.what_if import what_if

SEED = int(os.environ.get("SEED", "1"))
COLUMNS = ("src", "dst", "op", "src_table", "dst_table", "by", "derivation", "op_kind")
OPS, TABLES, RUNS, FILES = 4, 4, 2, 2
"""The number of ops, the number of tables, the number of runs, and the number of files per run."""


@dataclass(frozen=True)
class Traced:
    """A random graph with an op, a run and a file for each triple."""

    prefix: str
    edges: list[Edge]
    ops: list[int]
    places: list[tuple[int, int]]

    @classmethod
    def of(cls, random: Random, prefix: str) -> "Traced":
        """Make a random trace.

        All triples of a derivation are in one run, but in any of its files.
        """
        edges, runs = random_edges(random), dict[tuple[int, int], int]()
        places = [
            (
                runs.setdefault((edge.dst, edge.way if edge.way >= 0 else -number - 1),
                                random.randrange(RUNS)),
                random.randrange(FILES),
            )
            for number, edge in enumerate(edges)
        ]  # fmt: skip
        return cls(prefix, edges, [random.randrange(OPS) for _ in edges], places)

    def rows(self, run: int, file: int) -> list[tuple[str, ...]]:
        """Return the rows of one file. Each row has its own attribute, so that no two are equal."""
        return [
            (
                self.name(edge.src), self.name(edge.dst), f"op{self.ops[number]}",
                f"t{edge.src % TABLES}", f"t{edge.dst % TABLES}", str(number),
                "" if edge.way < 0 else str(edge.way), edge.kind,
            )
            for number, edge in enumerate(self.edges)
            if self.places[number] == (run, file)
        ]  # fmt: skip

    def name(self, item: int) -> str:
        """Return the name of an item."""
        return f"{self.prefix}.{item}"

    def fates(self, gone: "Gone") -> dict[str, str]:
        """Return, by brute force, what happens to each item: it survives, dies or is undecided."""
        items = {end for edge in self.edges for end in edge[:2]}
        deleted = {item for item in items if item % TABLES in gone.tables}
        ended = [
            number
            for number, place in enumerate(self.places)
            if self.ops[number] in gone.ops or place[0] in gone.runs or place in gone.files
        ]
        found = boolean.fates(self.edges, deleted, ended)
        return {self.name(item): fate for item, fate in found.items()}


@dataclass(frozen=True)
class Gone:
    """The numbers of the tables, ops, runs and files that are deleted."""

    tables: tuple[int, ...] = ()
    ops: tuple[int, ...] = ()
    runs: tuple[int, ...] = ()
    files: tuple[tuple[int, int], ...] = ()

    @classmethod
    def all(cls) -> "list[Gone]":
        """Return the deletions to try: each table, op, run or file, and some combinations."""
        tables = [cls(tables=(one,)) for one in range(TABLES)]
        ops = [cls(ops=(one,)) for one in range(OPS)]
        runs = [cls(runs=(one,)) for one in range(RUNS)]
        files = [cls(files=((run, file),)) for run in range(RUNS) for file in range(FILES)]
        mixed = [cls(tables=(1,), ops=(2,)), cls(ops=(0, 3), files=((1, 0),)),
                 cls(tables=(0, 2)), cls(tables=(3,), runs=(1,))]  # fmt: skip
        return [*tables, *ops, *runs, *files, *mixed]


@pytest.mark.long
@pytest.mark.parametrize("graphs", [20, pytest.param(1_500, marks=pytest.mark.long)])
def test_fates_are_those_of_brute_force(houses: Callable[..., House], graphs: int) -> None:
    random, house = Random(SEED), houses(theta=4, pack=0, partition_triples=200)
    traced = [Traced.of(random, f"g{number}") for number in range(graphs)]
    folder, files = house.settings.warehouse.parent, dict[tuple[int, int], Path]()
    for run in range(RUNS):
        for file in range(FILES):
            path = files[run, file] = folder / f"r{run}.{file}.csv"
            rows = [row for each in traced for row in each.rows(run, file)]
            with path.open("w", encoding="utf-8", newline="") as opened:
                csv.writer(opened).writerows([COLUMNS, *rows])
        house.ingest_files(*(files[run, file] for file in range(FILES)), run=f"r{run}")
    seen = defaultdict[str, int](int)
    with house.asker() as asker:
        for gone in Gone.all():
            deletion = Deletion(
                tables=tuple(f"t{one}" for one in gone.tables),
                ops=tuple(f"op{one}" for one in gone.ops),
                runs=tuple(f"r{one}" for one in gone.runs),
                files=tuple(str(files[one]) for one in gone.files),
            )
            rows = what_if(asker, deletion).items.to_pylist()
            found = {row["item"]: row["fate"] for row in rows}
            expected = {name: fate for each in traced for name, fate in each.fates(gone).items()}
            wrong = {name: (found.get(name), fate) for name, fate in expected.items()
                     if found.get(name) != fate}  # fmt: skip
            assert not wrong, (SEED, gone, wrong)
            assert found.keys() == expected.keys()
            for fate in expected.values():
                seen[fate] += 1
    assert min(seen["dies"], seen["survives"], seen["undecided"]) > graphs, seen


def test_what_an_unsupported_cycle_holds_up_is_undecided(
    houses: Callable[..., House], tmp_path: Path
) -> None:
    """Items p and q depend on each other and on m, so x may exist without s."""
    house, path = houses(), tmp_path / "seven.csv"
    path.write_text(
        "src,dst,op_kind,derivation\nb,m,any,\ns,m,any,\nm,p,all,\nq,p,all,\np,q,all,\n"
        "s,x,all,4\np,x,all,5\n"
    )
    house.ingest_files(path)
    with house.asker() as asker:
        rows = what_if(asker, Deletion(("s",))).items.to_pylist()
        assert {row["item"]: row["fate"] for row in rows} == {
            "m": "survives", "p": "undecided", "q": "undecided", "x": "undecided",
        }  # fmt: skip
        found = depends(asker, "x", "s")
        assert (found.exists, found.smallest, found.searched) == ("undecided", ("b", "s"), True)
        assert depends(asker, "p", "m").exists == "no"
        both = what_if(asker, Deletion(("s", "b"))).items.to_pylist()
        assert {row["item"]: row["fate"] for row in both} == dict.fromkeys("mpqx", "dies")
