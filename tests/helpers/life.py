"""What a warehouse should hold after ingests, retractions, rollbacks and compactions.

A model in memory, small and obvious: for each triple who stands for it, and for each generation
what it held. Every change is made to a warehouse and to the model alike.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeAlias

from helpers.oracle import Expected, Oracle, Triple
from helpers.warehouse import House, content
from provhouse.ingest.compact import compact
from provhouse.ingest.retract import Retraction, Wanted, retract
from provhouse.ingest.rollback import rollback
from provhouse.ingest.summary import Summary
from provhouse.model.columns import BORN, DST, OP, SRC
from provhouse.model.errors import NotFound
from provhouse.model.progress import Silent
from provhouse.query.ask import Asker
from provhouse.query.question import Direction, Method
from provhouse.store.commits import current, read_commit
from provhouse.store.partitions import partition_path, read_partition
from provhouse.store.snapshot import Snapshot

DIRECTIONS: tuple[Direction, ...] = ("upstream", "downstream")
Origin: TypeAlias = tuple[str | None, str]
"""A run, if one was named, and a file."""
Row: TypeAlias = tuple[str, str, str, int, int | None]
"""src, dst and op, and the generations that a triple was born and died in."""
Gone: TypeAlias = Callable[[Origin], bool]


@dataclass(frozen=True)
class State:
    """Who stands for what lives, all rows that are kept, and all items that were ever named."""

    standing: dict[Triple, frozenset[Origin]] = field(default_factory=dict)
    rows: frozenset[Row] = frozenset()
    items: frozenset[str] = frozenset()


@dataclass
class Life:
    """A warehouse and its model."""

    house: House
    states: dict[int, State] = field(default_factory=lambda: {0: State()})
    """What each generation holds."""
    before: list[int] = field(default_factory=list)
    """The generations that rollbacks would go back to."""

    @property
    def now(self) -> State:
        """What is held."""
        return self.states[max(self.states)]

    def ingest(self, run: str | None = None, **files: Iterable[Triple]) -> Summary:
        """Take in files, named without their ending."""
        given = {name: list(rows) for name, rows in files.items()}
        paths = [self.house.write(rows, f"{name}.csv") for name, rows in given.items()]
        summary = self.house.ingest_files(*paths, run=run)
        standing = self._without(lambda origin: run is not None and origin[0] == run)
        for name, rows in given.items():
            for triple in rows:
                standing[triple] = standing.get(triple, frozenset()) | {(run, name)}
        items = {end for rows in given.values() for triple in rows for end in triple[:2]}
        self._next(standing, items)
        assert summary.triples == len(self.now.standing)
        return summary

    def retract(self, *items: str, file: str | None = None, run: str | None = None) -> Retraction:
        """Retract a file, a run or items."""
        folder = self.house.settings.warehouse.parent
        path: Path | None = folder / f"{file}.csv" if file else None
        done = retract(Wanted(path, run, items), self.house.settings, Silent())
        if items:
            kept = {t: o for t, o in self.now.standing.items() if not {*t[:2]} & {*items}}
        else:
            kept = self._without(lambda origin: file == origin[1] or run == origin[0] is not None)
        ended = len(self.now.standing) - sum(map(bool, kept.values()))
        changed = kept != self.now.standing
        self._next(kept, set())
        held = len(self.now.standing)
        assert (done.ended, done.triples, done.committed) == (ended, held, changed)
        self.house.check()
        return done

    def rollback(self) -> None:
        """Take the last ingest or retraction back."""
        generation = rollback(self.house.settings, Silent()).generation
        self.states[generation] = self.states[self.before.pop()]
        self.house.check()

    def compact(self) -> None:
        """Lay out anew; the state is the same."""
        generation = compact(self.house.settings, Silent()).generation
        self.house.bare = True
        living = frozenset(row for row in self.now.rows if row[-1] is None)
        self.states[generation] = replace(self.now, rows=living)
        self.house.check()

    def _without(self, gone: Gone) -> dict[Triple, frozenset[Origin]]:
        """Who stands for what is held, without some origins; nobody for what they leave alone."""
        return {
            triple: frozenset(origin for origin in origins if not gone(origin))
            for triple, origins in self.now.standing.items()
        }

    def _next(self, standing: dict[Triple, frozenset[Origin]], items: set[str]) -> None:
        """Make a state current, unless it is the one that is."""
        for triple in [triple for triple, origins in standing.items() if not origins]:
            del standing[triple]
        commit = current(self.house.layout)
        assert commit
        if standing == self.now.standing and items <= self.now.items:
            assert commit.generation == max(self.states), "nothing new makes no generation"
            return
        assert commit.generation > max(self.states)
        self.before.append(max(self.states))
        number, was, is_ = commit.generation, self.now.standing.keys(), standing.keys()
        rows = {
            (*row[:4], number if row[-1] is None and row[:3] in _keys(was - is_) else row[-1])
            for row in self.now.rows
        }
        rows |= {(*key, number, None) for key in _keys(is_ - was)}
        self.states[number] = State(standing, frozenset(rows), self.now.items | items)

    def rows(self) -> frozenset[Row]:
        """The rows that the tables hold, with what they say of deaths."""
        commit = current(self.house.layout)
        assert commit
        snapshot = Snapshot(self.house.layout, commit)
        died = {
            (row["partition"], row["row"] + n): row["died"]
            for row in snapshot.rows("deaths").to_pylist()
            for n in range(row["rows"])
        }
        found: list[Row] = []
        folder = self.house.layout.table(commit.base, "triples")
        for partition in snapshot.partitions.tolist():
            rows = read_partition(partition_path(folder, partition), (SRC, DST, OP, BORN))
            ends = [snapshot.names.names(rows[end].to_numpy()).to_pylist() for end in (SRC, DST)]
            texts = zip(*ends, rows[OP].to_pylist(), rows[BORN].to_pylist(), strict=True)
            found += [(*row, died.get((partition, n))) for n, row in enumerate(texts)]
        assert len(set(found)) == len(found)
        return frozenset(found)

    def agree(self, items: Iterable[str], methods: Iterable[Method], *generations: int) -> None:
        """Items have the lineage and impact that networkx says, as of some generations or all."""
        asked, ways = list(items), list(methods)
        for generation in generations or sorted(self.states)[1:]:
            state = self.states[generation]
            commit = read_commit(self.house.layout, generation)
            assert commit.totals.triples == len(state.standing)
            oracle = Oracle.of(state.standing)
            with Asker(self.house.settings, Silent(), generation) as asker:
                for item in asked:
                    for direction in DIRECTIONS:
                        wanted = _expected(oracle, state, item, direction)
                        for method in ways:
                            found = _answered(asker, item, direction, method)
                            assert found == wanted, (item, direction, method, generation)


def _keys(triples: Iterable[Triple]) -> set[tuple[str, str, str]]:
    return {triple[:3] for triple in triples}


def _expected(oracle: Oracle, state: State, item: str, direction: Direction) -> Expected | None:
    if item not in state.items:
        return None
    if item not in oracle.graph:
        return Expected(set(), set(), False)
    return oracle.ask(item, direction)


def _answered(asker: Asker, item: str, direction: Direction, method: Method) -> Expected | None:
    try:
        return content(asker.ask(item, direction, method))
    except NotFound:
        return None
