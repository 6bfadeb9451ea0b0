"""Write to Neo4j the nodes and relationships that an ingest changed.

Totals are read from the tables as of the new generation, and are written as absolute values, so
writing them twice changes nothing. Answers are computed only from the sets and dependencies; the
rest is for people who look at the graph in Neo4j.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import chain
from threading import Lock

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from provhouse.cypher.graph import Graph
from provhouse.model.arrays import (
    I64,
    Bools,
    SetIds,
    SetPositions,
    unique,
)
from provhouse.model.columns import (
    COMPONENT,
    DERIVES_FROM,
    INGEST,
    INTO,
    ITEMS,
    OPS,
    PARTITION,
    ROW,
    ROWS,
    SET,
    TABLES,
    TABLES_OF,
    TRIPLES,
)
from provhouse.model.progress import Progress
from provhouse.runtime.room import slices
from provhouse.store.tables.delta_tables import PIECE_ROWS, in_pieces
from provhouse.store.tables.ranges import Ranges
from provhouse.store.tables.snapshot import Snapshot

from .append import merged, pairs_among
from .dependencies_again import DEPENDENCY, dependencies_again
from .few import few_of_each
from .module_graph import ModuleGraph
from .table_rows import table_lists
from .tables_of_sets import tables_of

SETS = "sets"


def load(
    graph: Graph, snapshot: Snapshot, ingest: int, progress: Progress, imported: bool = False
) -> None:
    """Write the changes of ``ingest``, then record in Neo4j that the commit is loaded.

    If there are few changes, one transaction does both.
    """
    graph.prepare()
    rows = _changed_rows(snapshot, ingest, imported)
    if graph.fits(sum(pieces.rows for pieces in rows.values())):
        parts = [(name, table) for name, pieces in rows.items() for table in pieces]
        parts += [(name, pa.Table.from_pylist(some)) for name, some in table_lists(snapshot)]
        graph.write_commit(parts, snapshot.commit.commit)
        return
    _write(graph, rows, progress)
    _load_tables(graph, snapshot)
    graph.write_load(snapshot.commit.commit)


def load_ingest(
    graph: Graph, snapshot: Snapshot, ingest: int, progress: Progress, imported: bool = False
) -> None:
    """Write the sets, dependencies and components that ``ingest`` changed.

    If ``imported``, Neo4j's importer has already written the rows that ``bulk`` returns.
    """
    graph.prepare()
    _write(graph, _changed_rows(snapshot, ingest, imported), progress)


def _changed_rows(snapshot: Snapshot, ingest: int, imported: bool) -> "dict[str, Pieces]":
    """Return the rows of ``bulk``, unless they are imported, and the merges of components."""

    def merges() -> Iterator[pa.Table]:
        for rows in snapshot.pieces("merges", [COMPONENT, INTO], ingest):
            yield rows.select([COMPONENT, INTO])

    count = snapshot.count_rows_of(ingest, "merges")
    return {**({} if imported else bulk(snapshot, ingest)), "merges": Pieces(count, merges)}


def _write(graph: Graph, rows: "Mapping[str, Pieces]", progress: Progress) -> None:
    """Write rows with the statements that they are named after, in order."""
    done, total = 0, sum(pieces.rows for pieces in rows.values())
    one = Lock()

    def written(number: int) -> None:  # called by several threads
        nonlocal done
        with one:
            done += number
            progress.advance(done, total, "rows")

    for name, pieces in rows.items():
        for table in pieces:
            graph.write(name, table, written)


def load_rollback(graph: Graph, before: Snapshot, after: Snapshot) -> None:
    """Change Neo4j's state from ``before`` to ``after``, which has fewer ingests.

    Sets and dependencies stay, since other generations use them. Everything else returns to its
    state before the ingests that ``after`` lacks.
    """
    if before.commit.base == after.commit.base:
        for name, tables in _rollback_rows(before, after).items():
            for table in tables:
                graph.write(name, table)
    graph.delete_tables()
    _load_tables(graph, after)
    graph.write_load(after.commit.commit)


def _rollback_rows(before: Snapshot, after: Snapshot) -> dict[str, Iterable[pa.Table]]:
    """Return the rows that a rollback writes, by the name of the Cypher statement that writes them.

    The statements are in the order in which they must run.
    """

    def hidden(table: str, *columns: str) -> Iterator[pa.Table]:
        for rows in before.pieces(table, columns):
            unseen = rows.filter(pa.array(~after.shows(np.asarray(rows[INGEST]))))
            if unseen.num_rows:
                yield unseen.select(list(columns))

    def touched() -> Iterator[I64]:
        for rows in hidden("placements", SET):
            yield np.asarray(rows[SET])
        yield from before.sets_among(
            Ranges.read(hidden("deaths", PARTITION, ROW, ROWS), after.room)
        )
        for rows in hidden("set_dependencies", SET, DERIVES_FROM):
            yield from (np.asarray(rows[end]) for end in (SET, DERIVES_FROM))
        for some in slices(len(after.set_ids)):
            ids = after.set_ids[some]
            was = before.set_components[np.searchsorted(before.set_ids, ids)]
            yield ids[was != after.set_components[some]]

    sets = _marked(after, touched())
    return {
        "sets_hidden": hidden("sets", SET),
        "merges_hidden": hidden("merges", COMPONENT, INTO),
        "sets": _set_rows(after, sets, []),
        "dependencies": _totalled(after, lambda: hidden("set_dependencies", SET, DERIVES_FROM)),
        "components": _component_rows(after, _components(after, sets)),
        "part_of": _part_of_rows(after, sets),
    }


def _marked(snapshot: Snapshot, ids: Iterable[I64]) -> SetPositions:
    """Return the positions of the sets with these ids, which may be in any order.

    Invisible sets are left out.
    """
    marks = snapshot.room.zeros(len(snapshot.set_ids), bool)
    for some in ids:
        marks[snapshot.rows_of_sets(SetIds(unique(some)))] = True
    return _positions(snapshot, marks)


def _positions(snapshot: Snapshot, marks: Bools) -> SetPositions:
    parts = (rows.start + np.flatnonzero(marks[rows]) for rows in slices(len(marks)))
    return SetPositions(snapshot.room.joined(parts, np.int64))


def _load_tables(graph: Graph, snapshot: Snapshot) -> None:
    for name, rows in table_lists(snapshot):
        graph.write(name, rows)


@dataclass(frozen=True)
class Pieces:
    """The rows of a statement, as Arrow tables that are made only during the iteration."""

    rows: int
    """The number of rows in all tables."""
    make: Callable[[], Iterator[pa.Table]]

    def __iter__(self) -> Iterator[pa.Table]:
        return self.make()


def bulk(snapshot: Snapshot, ingest: int) -> dict[str, Pieces]:
    """Return the rows to write for changed sets, dependencies and components.

    The keys are the names of the Cypher statements, in the order in which they must run.
    """
    sets, nodeless = _touched(snapshot, ingest)
    components = _components(snapshot, sets)
    new = partial(snapshot.pieces, "sets", [SET, TABLES_OF], ingest)
    pairs = snapshot.count_rows_of(ingest, "set_dependencies")
    return {
        "sets": Pieces(len(sets), lambda: _set_rows(snapshot, sets, new())),
        "dependencies": Pieces(pairs, lambda: _dependencies_of(snapshot, ingest)),
        "components": Pieces(len(components), lambda: _component_rows(snapshot, components)),
        "part_of": Pieces(len(nodeless), lambda: _part_of_rows(snapshot, nodeless)),
    }


def rows_without_nodes(snapshot: Snapshot, sets: SetIds) -> Iterator[pa.Table]:
    """Yield the rows of sets that are components of their own and for which no ingest wrote a node.

    Each row has the set's component too. ``sets`` are in order.
    """
    found = snapshot.rows_of_sets(sets)
    plain = found[snapshot.alone[found] & ~snapshot.set_nodes[found]]
    for rows in _set_rows(snapshot, SetPositions(plain), []):
        places = snapshot.rows_of_sets(SetIds(np.asarray(rows["id"])))
        yield rows.append_column(COMPONENT, pa.array(snapshot.set_components[places]))


def announce(graph: Graph, snapshot: Snapshot, modules: ModuleGraph) -> None:
    """Mark a generation as current in Neo4j, with its modules. Only people read these nodes."""
    commit = snapshot.commit
    shown = {
        "number": commit.generation,
        "time": commit.time,
        "triples": commit.triples,
        "items": commit.totals.items,
    }
    graph.announce(shown, modules)


def _touched(snapshot: Snapshot, ingest: int) -> tuple[SetPositions, SetPositions]:
    """Return the sets to write, and those of them that may lack a node.

    The sets to write are new sets that get a node, old sets with changed totals, and old sets
    without a node from which others now derive.
    """
    touched = snapshot.room.zeros(len(snapshot.set_ids), bool)
    first_new = np.iinfo(np.int64).max
    for rows in snapshot.pieces("sets", [SET], ingest):
        born = SetIds(np.asarray(rows[SET]))
        new = snapshot.rows_of_sets(born)
        touched[new] = snapshot.set_nodes[new]
        first_new = min(first_new, int(born.min(initial=first_new)))
    died = Ranges.read(snapshot.pieces("deaths", [PARTITION, ROW, ROWS], ingest), snapshot.room)
    for ends in chain(_column(snapshot, ingest, "placements", SET), snapshot.sets_among(died)):
        touched[_old(snapshot, ends, first_new)] = True
    for ends in _column(snapshot, ingest, "set_dependencies", DERIVES_FROM):
        sources = _old(snapshot, ends, first_new)
        touched[sources[~snapshot.set_nodes[sources]]] = True
    sets = _positions(snapshot, touched)
    known = (snapshot.set_ids[sets] < first_new) & snapshot.set_nodes[sets]
    return sets, SetPositions(sets[~known])


def _old(snapshot: Snapshot, sets: I64, first_new: int) -> SetPositions:
    """Return the positions of the given sets whose ids are lower than ``first_new``."""
    return snapshot.rows_of_sets(SetIds(unique(sets[sets < first_new])))


def _column(snapshot: Snapshot, ingest: int, table: str, column: str) -> Iterator[I64]:
    """Yield, in pieces, a column of the rows that an ingest added to a table."""
    for rows in snapshot.pieces(table, [column], ingest):
        yield np.asarray(rows[column])


def _component_rows(snapshot: Snapshot, components: I64) -> Iterator[pa.Table]:
    """Yield the rows of the given components, which are in order, with their totals."""
    sums = {name: snapshot.room.zeros(len(components), np.int64) for name in (ITEMS, TRIPLES, SETS)}
    for rows in _slices(len(snapshot.set_ids)):
        of = snapshot.set_components[rows]
        owner = np.minimum(np.searchsorted(components, of), max(len(components) - 1, 0))
        mine = np.flatnonzero(components[owner] == of) if len(components) else owner[:0]
        owner = owner[mine]
        np.add.at(sums[ITEMS], owner, snapshot.set_sizes[rows][mine])
        np.add.at(sums[TRIPLES], owner, snapshot.set_triples[rows][mine])
        np.add.at(sums[SETS], owner, 1)
    for rows in _slices(len(components)):
        totals = {name: values[rows] for name, values in sums.items()}
        yield pa.table({"id": components[rows], **totals})


def _components(snapshot: Snapshot, sets: SetPositions) -> I64:
    """Return the components of the given sets, in order."""
    of_pieces = (unique(snapshot.set_components[sets[rows]]) for rows in _slices(len(sets)))
    return snapshot.room.distinct(of_pieces)


def _slices(count: int) -> Iterator[slice]:
    return (slice(start, start + PIECE_ROWS) for start in range(0, count, PIECE_ROWS))


def _set_rows(
    snapshot: Snapshot, sets: SetPositions, new: Iterable[pa.Table]
) -> Iterator[pa.Table]:
    """Yield the rows of the given sets, which are in order, with their totals and item tables.

    ``new`` has, in order, the rows of the table ``sets`` about the sets that Neo4j does not have.
    """
    at, none = 0, TABLES["sets"].empty_table()
    for born in new:
        ends = np.searchsorted(snapshot.set_ids, [born[SET][0].as_py(), born[SET][-1].as_py()])
        first, end = np.searchsorted(sets, [ends[0], ends[1] + 1])
        yield from _rows_of_sets(snapshot, SetPositions(sets[at:first]), none)
        yield from _rows_of_sets(snapshot, SetPositions(sets[first:end]), born)
        at = end
    yield from _rows_of_sets(snapshot, SetPositions(sets[at:]), none)


def _rows_of_sets(snapshot: Snapshot, sets: SetPositions, new: pa.Table) -> Iterator[pa.Table]:
    for rows in _slices(len(sets)):
        some = SetPositions(sets[rows])
        columns = {
            "id": snapshot.set_ids[some],
            ITEMS: snapshot.set_sizes[some],
            TRIPLES: snapshot.set_triples[some],
            TABLES_OF: tables_of(snapshot, some, new),
        }
        yield pa.table(columns)


def _part_of_rows(snapshot: Snapshot, sets: SetPositions) -> Iterator[pa.Table]:
    for rows in _slices(len(sets)):
        some = sets[rows]
        yield pa.table({SET: snapshot.set_ids[some], COMPONENT: snapshot.set_components[some]})


def _dependencies_of(snapshot: Snapshot, ingest: int) -> Iterator[pa.Table]:
    """Return the dependencies that an ingest added, with their totals over all visible ingests."""

    return _totalled(
        snapshot, lambda: snapshot.pieces("set_dependencies", DEPENDENCY, ingest), ingest
    )


def _totalled(
    snapshot: Snapshot, pieces: Callable[[], Iterator[pa.Table]], ingest: int | None = None
) -> Iterator[pa.Table]:
    """Yield the visible dependencies between given pairs of sets, with totals over all ingests.

    ``pieces`` returns the pairs as pieces of the table ``set_dependencies``; within each ingest,
    rows are ordered by set. If ``ingest`` is given, all rows of ``pieces`` are from this ingest,
    and the totals include them.
    """
    found = in_pieces(dependencies_again(snapshot, pieces(), but=ingest))
    others = [(one, *_ends_of(one)) for one in snapshot.room.tables(found)]
    for rows in pieces():
        low, high = _ends_of(rows)
        near = [one for one, first, last in others if first <= high and low <= last]
        again = [one.filter(pa.array(pairs_among(one, rows))) for one in near]
        if ingest is not None:
            again.append(rows)
        several = len([one for one in again if one.num_rows]) > 1
        counted = pa.concat_tables(again) if again else rows.slice(0, 0)
        if counted.num_rows:
            yield _dependency_rows(counted.sort_by(INGEST) if several else counted)


def _ends_of(rows: pa.Table) -> tuple[int, int]:
    """Return the lowest and the highest id among the deriving sets of the given dependencies."""
    ends = pc.min_max(rows[SET]).as_py()
    return ends["min"], ends["max"]


def _dependency_rows(rows: pa.Table) -> pa.Table:
    """Return one row for each pair of sets, with its summed triple counts and a few of its ops."""
    rows = merged([rows.select(DEPENDENCY)], SET, DERIVES_FROM)
    ops = few_of_each(rows[OPS])
    return rows.select([SET, DERIVES_FROM, TRIPLES]).append_column("ops", ops)
