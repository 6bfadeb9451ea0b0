"""Interruptions of commands on a warehouse, and checks of the conditions that must hold afterwards.

The expected contents are plain lists of triples. An interrupted command must have made its change
completely or not at all, and the next command must work without a repair.
"""

import csv
import json
import os
import shutil
import signal
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from helpers.cold import Cold, Started
from helpers.command import Done
from helpers.cuts import Cut, kill_neo4j
from helpers.graphs import graph
from helpers.leftovers import leftovers
from helpers.oracle import ERASED, Expected, Oracle, Triple, is_erased
from helpers.warm import Child, Warm
from provhouse.cypher import server
from provhouse.cypher.driver import open_driver
from provhouse.model.progress import Silent
from provhouse.store.warehouse.commits import MERGED
from provhouse.store.warehouse.layout import Layout

ROWS = 30
"""The number of common triples in one file.

Each file also has one more triple, which no other file has.
"""
ASKED = 2
"""The number of items whose lineage, or whose impact, is checked after a round."""


class Outcome(NamedTuple):
    """The outcome of a command that was interrupted."""

    reached: bool
    """Whether the command reached the fault point."""
    status: int
    new: bool
    """Whether the new generation was committed to the warehouse."""


@dataclass
class Fire:
    """One warehouse, the commands on it, and its expected contents."""

    warehouse: Path
    home: Path
    """The home of the warehouse's Neo4j, which keeps running."""
    warm: Warm
    seed: int
    beside: Path | None = None
    """The folder of the input files. By default, it is the folder that contains the warehouse."""
    padding: int = 0
    """The number of empty lines in each input file. If there are many, Spark reads the file."""
    states: list[list[Triple]] = field(default_factory=lambda: [[]])
    """The expected triples of each state, the current state last.

    A rollback removes the last state.
    """
    random: Random = field(init=False)
    _rows: list[Triple] = field(init=False)
    _ids: dict[str, int] = field(default_factory=dict)
    _files: int = 0

    def __post_init__(self) -> None:
        self.random = Random(self.seed)
        first = self.seed * 100
        self._rows = [row for n in range(first, first + 12) for row in graph(n).triples]
        self._rows += [
            Triple(self.random.choice(self._rows).dst, self.random.choice(self._rows).src, "join")
            for _ in range(6)
        ]

    def start(
        self, *arguments: object, fault: str = "", by: Warm | Cold | None = None
    ) -> Child | Started:
        """Start a command. If ``fault`` is not empty, arm the fault of this name in the command."""
        environment = {
            **os.environ,
            "PROVHOUSE_WAREHOUSE": str(self.warehouse),
            "PROVHOUSE_NEO4J_HOME": str(self.home),
            "PROVHOUSE_NEO4J_MEMORY": "512m",
            "PROVHOUSE_THETA": "6",
            "PROVHOUSE_PARTITION_TRIPLES": "20",
        }
        return (by or self.warm).start(environment, *arguments, fault=fault)

    def run(self, *arguments: object, status: int = 0) -> Done:
        """Run a command and check its exit status."""
        done = self.start(*arguments).awaits().done
        assert done.status == status, done
        assert "Traceback" not in done.err
        return done

    def _beside(self, name: str) -> Path:
        folder = self.beside or self.warehouse.parent
        folder.mkdir(parents=True, exist_ok=True)
        return folder / f"{self.seed}-{name}"

    def file(self) -> tuple[Path, list[Triple]]:
        """Write a file of random triples, and return its path and the triples.

        One of the triples is in no other file.
        """
        self._files += 1
        path = self._beside(f"{self._files}.csv")
        rows = self.random.sample(self._rows, ROWS)
        rows.append(Triple(rows[0].src, f"{self.seed}/{self._files}", "only here"))
        with path.open("w", encoding="utf-8", newline="") as out:
            csv.writer(out).writerows([Triple._fields, *rows])
            out.write("\n" * self.padding)
        return path, rows

    def change(self, kind: str) -> tuple[list[object], list[list[Triple]]]:
        """Return a command that makes a change of the given kind, and the resulting states."""
        if kind in ("ingest", "replace"):
            path, rows = self.file()
            held = self.states[-1] if kind == "ingest" else []
            after = [*self.states, sorted({*held, *rows})]
            return ["ingest", path, *(["--replace"] if kind == "replace" else [])], after
        if kind == "retract":
            item = self.random.choice([r.src for r in self.states[-1] if not is_erased(r.src)])
            left = [row for row in self.states[-1] if item not in (row.src, row.dst)]
            return ["retract", item], [*self.states, left]
        if kind == "compact":
            return [kind], self.compacted()
        if kind == "prune":
            # no earlier state is left
            return ["prune", "--keep", 2], self.states[-1:]
        return [kind], self.states[:-1] if kind == "rollback" else self.states

    def compacted(self) -> list[list[Triple]]:
        """Return the states after a compaction.

        A compaction merges equal triples of erased items.
        """
        rows = {
            row._replace(op="") if is_erased(row.src) or is_erased(row.dst) else row
            for row in self.states[-1]
        }
        return (
            [*self.states[:-1], sorted(rows)] if len(rows) < len(self.states[-1]) else self.states
        )

    def ingest(self) -> None:
        """Ingest one more file, without interruption."""
        command, after = self.change("ingest")
        self.run(*command)
        self.states = after

    def grow(self) -> None:
        """Ingest files until there is something to compact and to roll back."""
        while len(self.states) < 3:
            self.ingest()

    def merge(self) -> None:
        """Ingest files until the next ingest will merge the files of the tables."""
        for _ in range(3):
            self.ingest()
        while json.loads((self.warehouse / "ids.json").read_text())["ingest"] % MERGED:
            self.ingest()

    def round(self, kind: str, cut: Cut) -> Outcome:
        """Let ``cut`` start a change and interrupt it, then check everything that must hold."""
        if kind in ("forget", "forget a row"):
            return self.forget(cut, by_id=kind == "forget a row")
        if kind in ("ops set", "modules set"):
            return self.describe(kind, cut)
        self.grow()
        if "merged" in kind.split():
            self.merge()
        if kind == "prune merged":
            self.ingest()  # this ingest merges
            self.ingest()
        before = self.generations()
        if "anew" in kind.split():
            self.end_neo4j(forget=kind == "repair anew")
        command, after = self.change(kind.split()[0])
        child, reached = cut(command)
        done = child.awaits().done
        if kind.startswith("prune"):
            self.assert_pruned_or_not(before, after, done)
        else:
            self.assert_old_or_new(before, after, done)
        new = self.generations() != before
        if kind == "repair anew":
            self.assert_marks_are_true()
            self.run("repair")
            server.up(self.home, "512m", Silent())
        self.assert_answers("lineage")  # readers work before the next writer
        self.ingest()  # this writer removes what the interrupted command left
        self.assert_whole()
        self.assert_answers("impact")
        return Outcome(reached, done.status, new)

    def forget(self, cut: Cut, *, by_id: bool) -> Outcome:
        """Interrupt the erasure of a new item. The next writer must complete the erasure.

        With ``by_id``, the item is the row of a table, and a rejected row also contains the item's
        name.
        """
        self.grow()
        self._files += 1
        number = self.seed * 1_000_000 + self._files
        item = f"someone, whose number is {self.seed}/{self._files} and {self.random.random()}"
        if by_id:
            item = f"people/{number}"
        known = next(row.src for row in self.states[-1] if not is_erased(row.src))
        secret = Triple(known, item, f"what only {item} had")
        path = self._beside(f"{self._files}.csv")
        with path.open("w", encoding="utf-8", newline="") as out:
            if by_id:
                rows = [(known, number, secret.op, "people"), ("", number, "", "people")]
                csv.writer(out).writerows([("src", "dst_id", "op", "dst_table"), *rows])
            else:
                csv.writer(out).writerows([Triple._fields, secret])
        self.run("ingest", path)
        self.states.append([*self.states[-1], secret])
        before = self.generations()
        child, reached = cut(["forget", item])
        done = child.awaits().done
        assert "Traceback" not in done.err, done.err
        assert done.status in (0, 5, 6, -signal.SIGKILL), done
        assert self.generations() == before
        journal = self.warehouse / "erasure.json"
        begun = journal.exists() and bool(json.loads(journal.read_text())["items"])
        self.ingest()
        self.assert_whole()
        assert not journal.exists()
        if not begun:  # the erasure either was not begun or is complete
            assert self.start("forget", item).awaits().done.status == (3 if done.status == 0 else 0)
        gone = f"{ERASED}{self._files}"
        self.states = [
            [row._replace(dst=gone) if row.dst == item else row for row in rows]
            for rows in self.states
        ]
        assert leftovers([self.warehouse, self.home], [item, secret.op], [item]) == set()
        self.assert_answers("lineage")
        self.assert_answers("impact")
        return Outcome(reached, done.status, begun)

    def describe(self, kind: str, cut: Cut) -> Outcome:
        """Interrupt ``ops set`` or ``modules set``, which must store all rows of a file or none."""
        self.grow()
        self._files += 1
        said = f"said in {self.seed}/{self._files}"
        path = self._beside(f"{self._files}.{'csv' if kind == 'ops set' else 'json'}")
        names = [f"{said}, {number}" for number in range(3)]
        if kind == "ops set":
            path.write_text("op,sql\n" + "".join(f'"{name}",{said}\n' for name in names))
        else:
            path.write_text(json.dumps([{"module": name, "ops": [name]} for name in names]))
        before, shown = self.generations(), self._described(kind)
        child, reached = cut([*kind.split(), path])
        done = child.awaits().done
        self.assert_old_or_new(before, [*self.states, self.states[-1]], done)
        new = self.generations() != before
        expected = shown | {*names} if new else shown
        assert self._described(kind) == expected
        self.assert_answers("lineage")  # readers work before the next writer
        self.ingest()  # this writer removes what the interrupted command left
        self.assert_whole()
        assert self._described(kind) == expected
        return Outcome(reached, done.status, new)

    def _described(self, kind: str) -> set[str]:
        """Return the ops that have descriptions, or the modules that are declared."""
        command = kind.split()[0]
        found = json.loads(self.run(command, "list", "--format", "json").out)
        return {row[command.removesuffix("s")] for row in found}

    def empty_neo4j(self) -> None:
        """Delete everything that Neo4j stores for this warehouse."""
        address = server.running(self.home)
        assert address
        with open_driver(address) as driver:
            driver.execute_query(
                "MATCH (n {warehouse: $warehouse}) DETACH DELETE n",
                warehouse=Layout(self.warehouse).warehouse_id(),
            )

    def assert_marks_are_true(self) -> None:
        """Fail if Neo4j is marked as complete but lacks sets or dependencies.

        If the mark of the current generation is missing, questions must end with status 7.
        """
        checked = json.loads(self.start("check", "--format", "json").awaits().done.out)
        lacking = [damage["wanted"] for damage in checked["damages"]]
        if f"Neo4j lacks generation {self.generations()[-1]}" not in lacking:
            assert [text for text in lacking if "generation" not in text] == []
            self.assert_answers("lineage")
            return
        names = self._beside("asked.txt")
        names.write_text(self.states[-1][0].src)
        message = self.run("lineage", "--items", names, status=7).message
        assert "provhouse check --repair" in message

    def end_neo4j(self, forget: bool) -> None:
        """Kill the Neo4j server. If ``forget``, also delete its data."""
        kill_neo4j(self.home)
        if forget:
            shutil.rmtree(self.home)

    def assert_old_or_new(self, before: list[int], after: list[list[Triple]], done: Done) -> None:
        """Fail if a change was made only in part, or not made although the exit status is 0."""
        assert "Traceback" not in done.err, done.err
        assert done.status in (0, 5, 6, -signal.SIGKILL), done
        made = self.generations()[len(before) :]
        assert self.generations()[: len(before)] == before
        assert len(made) <= 1
        if made or (done.status == 0 and after is not self.states):
            self.states = after
        record = self.record()
        assert record["totals"]["triples"] == len(self.states[-1]), (done, made)

    def assert_pruned_or_not(
        self, before: list[int], after: list[list[Triple]], done: Done
    ) -> None:
        """Fail unless the pruned generations are the earliest and all stored triples remain."""
        assert "Traceback" not in done.err, done.err
        assert done.status in (0, 5, -signal.SIGKILL), done
        left = self.generations()
        assert left
        assert left == before[-len(left) :]
        assert len(left) == 2 or done.status
        self.states = after
        assert self.record()["totals"]["triples"] == len(self.states[-1])

    def generations(self) -> list[int]:
        """Return the numbers of the committed generations."""
        return sorted(int(path.stem) for path in self.warehouse.glob("commits/[0-9]*.json"))

    def record(self) -> dict[str, Any]:
        """Return the current commit record."""
        path = self.warehouse / "commits" / f"{self.generations()[-1]}.json"
        return dict(json.loads(path.read_text()))

    def assert_answers(self, command: str) -> None:
        """Compare the answers of ``command`` about random items with those of networkx."""
        oracle = Oracle.of(self.states[-1])
        items = sorted({end for triple in self.states[-1] for end in triple[:2]})
        gone = list(filter(is_erased, items))
        items = [item for item in items if item not in gone]
        asked = self.random.sample(items, min(ASKED, len(items)))
        names = self._beside("asked.txt")
        names.write_text("\n".join(asked))
        answers = self.run(command, "--items", names, "--format", "json").out.splitlines()
        direction = {"lineage": "upstream", "impact": "downstream"}[command]
        for item, answer in zip(asked, map(json.loads, answers), strict=True):
            assert content(answer) == oracle.ask(item, direction).without(gone), item

    def assert_whole(self) -> None:
        """Fail if ``check`` finds damage, if a file is half-written, or if an id is used twice."""
        self.run("check", "--deep", "--format", "json")
        left = [
            path for path in self.warehouse.rglob(".*.json.*") if "_delta_log" not in path.parts
        ]
        assert left == []
        assert not (self.warehouse / "staging").exists()
        records = [json.loads(path.read_text()) for path in self.warehouse.glob("commits/[0-9]*")]
        bases = {f"base-{record['base']}" for record in records}
        assert {path.name for path in self.warehouse.glob("base-*")} == bases
        ids = json.loads((self.warehouse / "ids.json").read_text())
        assert not ids.pop("unfinished")
        for name, free in ids.items():
            assert free >= self._ids.get(name, 0), name
        self._ids = ids


def content(answer: dict[str, Any]) -> Expected:
    """Return the contents of a command's answer, in the same form as the oracle's answers."""
    items = {(row["item"], row["depth"]) for row in answer["items"]}
    triples = {(row["src"], row["dst"], row["op"]) for row in answer["triples"]}
    return Expected(items, triples, answer["truncated"] is not None)
