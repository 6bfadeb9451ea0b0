"""A small in-memory model of a warehouse's content after changes of every kind.

The model has the origins of each live triple, and the state of each generation. Methods such as
``ingest`` make a change both in the warehouse and in the model. Methods such as ``ingested`` record
a change in the model only, after a command in another process has made the change in the warehouse.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import TypeAlias

from helpers.oracle import ERASED, Expected, Oracle, Triple, is_erased
from helpers.warehouse import House, content
from provhouse.care.compact import compact
from provhouse.care.forget import forget
from provhouse.care.prune import prune
from provhouse.care.retract import Retracting, Retraction, retract
from provhouse.care.rollback import rollback
from provhouse.ingest.ingest_summary import Summary
from provhouse.model.columns import BORN, DST, OP, SRC
from provhouse.model.errors import NotFound
from provhouse.model.progress import Silent
from provhouse.model.question import Direction, Method
from provhouse.query.lineage.ask import Asker
from provhouse.store.tables.partitions import partition_path, read_partition
from provhouse.store.tables.snapshot import Snapshot
from provhouse.store.warehouse.commits import generations, read_commit
from provhouse.store.warehouse.ids import read_ids

DIRECTIONS: tuple[Direction, ...] = ("upstream", "downstream")
Origin: TypeAlias = tuple[str | None, str]
"""An input file: the name of the run that ingested it, or None, and the file's name."""
Row: TypeAlias = tuple[str, str, str, int, int | None]
"""The src, dst and op of a triple, and the generations in which the triple was born and died."""
Shown: TypeAlias = tuple[str | None, str | None, str, int, int | None]
"""A row as the Delta tables store it, with None in place of an erased item's name."""
Gone: TypeAlias = Callable[[Origin], bool]
Files: TypeAlias = Mapping[str, list[Triple]]
"""The triples of each file, by the name of the file without its ending."""
Key: TypeAlias = tuple[str, str, str]
"""A triple without its tables: src, dst and op."""
ERASED_OP = "\0"
"""The beginning of an erased op.

The original op follows, so that different ops stay different.
"""


@dataclass(frozen=True)
class State:
    """The origins of all live triples, all stored rows, and all items that were ever ingested."""

    live: dict[Triple, frozenset[Origin]] = field(default_factory=dict)
    rows: frozenset[Row] = frozenset()
    items: frozenset[str] = frozenset()

    @property
    def named(self) -> list[str]:
        """The items that can be named in questions."""
        return sorted(item for item in self.items if not is_erased(item))

    @property
    def shown(self) -> Counter[Shown]:
        """The rows, as the Delta tables store them."""
        return Counter(
            (_name(src), _name(dst), _merged_op(op).strip(ERASED_OP), born, died)
            for src, dst, op, born, died in self.rows
        )

    def without_names(self, gone: Mapping[str, str]) -> "State":
        """Return the state in which erased names replace the names of the items in ``gone``."""
        live = {
            Triple(*_renamed(triple[:3], gone), *triple[3:]): origins
            for triple, origins in self.live.items()
        }
        rows = frozenset((*_renamed(row[:3], gone), *row[3:]) for row in self.rows)
        return State(live, rows, frozenset(gone.get(item, item) for item in self.items))


@dataclass
class Model:
    """A warehouse, and the state that each of its generations should have."""

    house: House
    states: dict[int, State] = field(default_factory=lambda: {0: State()})
    """The state of each generation. Generation 0 is the empty warehouse."""
    before: list[int] = field(default_factory=list)
    """The generations to which rollbacks would return.

    The next rollback returns to the last of them.
    """
    _erased: Iterator[int] = field(default_factory=count)

    @property
    def now(self) -> State:
        """The current state."""
        return self.states[max(self.states)]

    def ingest(self, run: str | None = None, **files: Iterable[Triple]) -> Summary:
        """Write files of triples and ingest them, in the warehouse and in the model.

        Each keyword is the name of a file without its ending.
        """
        given = {name: list(rows) for name, rows in files.items()}
        summary = self.house.ingest_files(*self.write(given), run=run)
        self.ingested(run, given)
        assert summary.triples == len(self.now.live)
        return summary

    def write(self, files: Files) -> list[Path]:
        """Write the files of an ingest, and return their paths."""
        return [self.house.write(rows, f"{name}.csv") for name, rows in files.items()]

    def ingested(self, run: str | None, files: Files) -> None:
        """Record an ingest in the model."""
        live = self._without(lambda origin: run is not None and origin[0] == run)
        self._add_state(_with_files(live, run, files), _ends(files))

    def replace(self, **files: list[Triple]) -> None:
        """Ingest files with ``--replace``, in the warehouse and in the model."""
        self.house.ingest_files(*self.write(files), replace=True)
        self.replaced(files)

    def replaced(self, files: Files) -> None:
        """Record an ingest with ``--replace`` in the model.

        The ingest starts a new base that has only the triples of the files.
        """
        number, live = self._new_generation(), _with_files({}, None, files)
        self.before.append(max(self.states))
        rows = frozenset((*key, number, None) for key in _keys(live))
        self.states[number] = State(live, rows, frozenset(_ends(files)))

    def retract(self, *items: str, file: str | None = None, run: str | None = None) -> Retraction:
        """Retract a file, a run or items, in the warehouse and in the model."""
        folder = self.house.settings.warehouse.parent
        path: Path | None = folder / f"{file}.csv" if file else None
        was, generation = self.now.live, max(self.states)
        done = retract(Retracting(path, run, items), self.house.settings, Silent())
        self.retracted(*items, file=file, run=run)
        held = len(self.now.live)
        assert (done.ended, done.triples) == (len(was) - held, held)
        assert done.committed == (max(self.states) > generation)
        self.house.check()
        return done

    def retracted(self, *items: str, file: str | None = None, run: str | None = None) -> None:
        """Record a retraction in the model."""
        if items:
            kept = {t: o for t, o in self.now.live.items() if not {*t[:2]} & {*items}}
        else:
            kept = self._without(lambda origin: file == origin[1] or run == origin[0] is not None)
        self._add_state(kept, set())

    def rollback(self) -> None:
        """Roll back the last change, in the warehouse and in the model."""
        rollback(self.house.settings, Silent())
        self.rolled_back()
        self.house.check()

    def rolled_back(self) -> None:
        """Record a rollback in the model."""
        number = self._new_generation()
        self.states[number] = self.states[self.before.pop()]

    def compact(self) -> None:
        """Compact the warehouse, and record it in the model."""
        compact(self.house.settings, Silent())
        self.compacted()
        self.house.check()

    def compacted(self) -> None:
        """Record a compaction in the model.

        Only live triples stay, and those with erased ops may merge.
        """
        self.house.bare = True
        live: dict[Triple, frozenset[Origin]] = {}
        for triple, origins in self.now.live.items():
            one = triple._replace(op=_merged_op(triple.op))
            live[one] = live.get(one, frozenset()) | origins
        born: dict[Key, int] = {}
        for src, dst, op, since, died in self.now.rows:
            if died is None:
                key = src, dst, _merged_op(op)
                born[key] = min(since, born.get(key, since))
        rows = frozenset((*key, since, None) for key, since in born.items())
        self.states[self._new_generation()] = State(live, rows, self.now.items)

    def forget(self, *items: str) -> None:
        """Erase items from the warehouse and from the model."""
        forget(items, self.house.settings, Silent())
        self.forgotten(*items)
        self.house.check()

    def forgotten(self, *items: str) -> None:
        """Record an erasure in the model, in all generations."""
        gone = {item: f"{ERASED}{next(self._erased)}" for item in items}
        self.states = {n: state.without_names(gone) for n, state in self.states.items()}

    def prune(self, keep: int) -> None:
        """Prune all generations but the last ``keep``, in the warehouse and in the model."""
        # a prune that was killed may have begun
        pruned = read_ids(self.house.layout).pruned
        kept = [number for number in sorted(self.states)[1:] if number > pruned][-keep:]
        done = prune(self.house.settings, Silent(), keep=keep)
        assert (done.first, done.generation, done.in_use) == (kept[0], kept[-1], ())
        self.pruned()
        assert sorted(self.states)[1:] == kept
        self.house.check()

    def pruned(self) -> None:
        """Remove from the model the generations that a prune has removed, even if it was killed."""
        kept = generations(self.house.layout)
        gone = self.states.keys() - {0, *kept}
        assert sorted({*kept, *gone}) == sorted(self.states)[1:]
        assert not gone or max(gone) <= read_ids(self.house.layout).pruned
        self.states = {n: state for n, state in self.states.items() if n not in gone}

    def _new_generation(self) -> int:
        """Return the number of the generation that the last change created."""
        made = self.house.commit.generation
        assert made > max(self.states)
        return made

    def _without(self, gone: Gone) -> dict[Triple, frozenset[Origin]]:
        """Return the origins of each live triple, without the ``gone`` origins.

        The set is empty for a triple that loses all its origins.
        """
        return {
            triple: frozenset(origin for origin in origins if not gone(origin))
            for triple, origins in self.now.live.items()
        }

    def _add_state(self, live: dict[Triple, frozenset[Origin]], items: set[str]) -> None:
        """Add the state as a new generation, unless it equals the current state."""
        for triple in [triple for triple, origins in live.items() if not origins]:
            del live[triple]
        if live == self.now.live and items <= self.now.items:
            made = generations(self.house.layout)[-1]
            assert made == max(self.states), "a generation was made without a change"
            return
        number = self._new_generation()
        self.before.append(max(self.states))
        was, is_ = self.now.live.keys(), live.keys()
        rows = {
            (*row[:4], number if row[-1] is None and row[:3] in _keys(was - is_) else row[-1])
            for row in self.now.rows
        }
        rows |= {(*key, number, None) for key in _keys(is_ - was)}
        self.states[number] = State(live, frozenset(rows), self.now.items | items)

    def rows(self) -> Counter[Shown]:
        """Return the rows of the Delta tables, including the generations in which they died."""
        commit = self.house.commit
        snapshot = Snapshot(self.house.layout, commit)
        died = {
            (row["partition"], row["row"] + n): row["died"]
            for row in snapshot.rows("deaths").to_pylist()
            for n in range(row["rows"])
        }
        found: list[Shown] = []
        folder = self.house.layout.table(commit.base, "triples")
        for partition in snapshot.partitions.tolist():
            rows = read_partition(partition_path(folder, partition), (SRC, DST, OP, BORN))
            ends = [snapshot.names.names(rows[end].to_numpy()).to_pylist() for end in (SRC, DST)]
            texts = zip(*ends, rows[OP].to_pylist(), rows[BORN].to_pylist(), strict=True)
            found += [(*row, died.get((partition, n))) for n, row in enumerate(texts)]
        return Counter(found)

    def assert_answers(
        self, items: Iterable[str], methods: Iterable[Method], *generations: int
    ) -> None:
        """Compare lineage and impact with networkx, as of ``generations`` (by default, all)."""
        asked, ways = list(items), list(methods)
        for generation in generations or sorted(self.states)[1:]:
            state = self.states[generation]
            commit = read_commit(self.house.layout, generation)
            assert commit.totals.triples == len(state.live)
            oracle = Oracle.of(state.live)
            with Asker(self.house.settings, Silent(), generation) as asker:
                for item in asked:
                    for direction in DIRECTIONS:
                        wanted = _expected_answer(oracle, state, item, direction)
                        for method in ways:
                            found = _answer(asker, item, direction, method)
                            assert found == wanted, (item, direction, method, generation)


def _with_files(
    live: dict[Triple, frozenset[Origin]], run: str | None, files: Files
) -> dict[Triple, frozenset[Origin]]:
    """Add the files to the origins of their triples."""
    for name, rows in files.items():
        for triple in rows:
            live[triple] = live.get(triple, frozenset()) | {(run, name)}
    return live


def _ends(files: Files) -> set[str]:
    return {end for rows in files.values() for triple in rows for end in triple[:2]}


def _renamed(key: Key, gone: Mapping[str, str]) -> Key:
    """Return a triple in which the items in ``gone`` are renamed.

    If the triple contains such items, its op is erased, too.
    """
    src, dst, op = key
    if not {src, dst} & gone.keys():
        return key
    return gone.get(src, src), gone.get(dst, dst), f"{ERASED_OP}{op.removeprefix(ERASED_OP)}"


def _name(item: str) -> str | None:
    """Return the name of an item as the Delta tables store it: None if the item is erased."""
    return None if is_erased(item) else item


def _merged_op(op: str) -> str:
    """Return ``ERASED_OP`` for an erased op; return any other op unchanged."""
    return ERASED_OP if op.startswith(ERASED_OP) else op


def _keys(triples: Iterable[Triple]) -> set[Key]:
    return {triple[:3] for triple in triples}


def _expected_answer(
    oracle: Oracle, state: State, item: str, direction: Direction
) -> Expected | None:
    if item not in state.items:
        return None
    if item not in oracle.graph:
        return Expected(set(), set(), False)
    return oracle.ask(item, direction).without(list(filter(is_erased, state.items)))


def _answer(asker: Asker, item: str, direction: Direction, method: Method) -> Expected | None:
    try:
        return content(asker.ask(item, direction, method))
    except NotFound:
        return None
