"""The names of rows: ``orders/17@3`` is row 17 of the model orders, as built by run 3.

A row of a source has no version. If dbt's tests or ``unique_key`` declare a key, and the key does
identify the rows, the key's values name the rows, in the form of ``model/key_texts.py``. Otherwise,
the rows are named by their positions in the table.
"""

import re
from collections.abc import Iterable, Iterator, Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from provhouse.model.arrays import I64
from provhouse.model.key_texts import key_text
from provhouse.sql.catalog import TablePlace
from provhouse.sql.quoting import quoted, text_of
from provhouse.workflows.dbt.passed_tests import declared_columns
from provhouse.workflows.dbt.project import DbtProject, ProjectNode

from .kept_tables import KeptTable, KeptTables
from .opened_database import OpenedDatabase

Key = tuple[str, ...]
_CANONICAL = re.compile(r"DECIMAL\([\d,]+\)|FLOAT|DOUBLE|TIMESTAMP(_\w+)?( WITH TIME ZONE)?")
"""The types whose values `key_text` writes differently from DuckDB."""
SNAPSHOT = {"valid_from": "dbt_valid_from", "valid_to": "dbt_valid_to", "scd_id": "dbt_scd_id"}


def snapshot_columns(node: ProjectNode) -> Mapping[str, str]:
    """Return the names of the columns that dbt adds to a snapshot."""
    own = node.parts.rows.get("snapshot_meta_column_names") or {}
    return {part: own.get(f"dbt_{part}") or name for part, name in SNAPSHOT.items()}


def unique_key(node: ProjectNode) -> Key:
    """Return the columns or expressions in the ``unique_key`` setting of a node."""
    found = node.parts.rows.get("unique_key") or ()
    return (found,) if isinstance(found, str) else tuple(found)


class RowNames:
    """The row names of a project's tables after one run."""

    def __init__(self, opened: OpenedDatabase, project: DbtProject, kept: KeptTables) -> None:
        self._opened, self._kept = opened, kept
        self.run = 0
        self._declared = declared_columns(project)
        self._names: dict[TablePlace, pa.Array] = {}
        self._states: dict[TablePlace, tuple[int, str]] = {}
        self.built: dict[str, KeptTable] = {}
        """The states of tables to store for later runs, by node id."""
        self.unknown: dict[str, pa.Array] = {}
        """The names of the rows that no run with lineage has built, by node id."""

    def table_of(self, place: TablePlace) -> str:
        """Return the table part of the names of a table's rows."""
        node = self._opened.node_of(place)
        return node.name if node else place.name

    def by_rid(self, place: TablePlace) -> pa.Array:
        """Return the names of a table's rows, indexed by row id; NULL for a deleted row."""
        if place not in self._names:
            self._names[place] = self._spread(place, self._in_order(place))
        return self._names[place]

    def in_order(self, place: TablePlace) -> pa.Array:
        """Return the names of the rows of a table in the order of row ids."""
        return self.by_rid(place).drop_null()

    def _in_order(self, place: TablePlace) -> pa.Array:
        node = self._opened.node_of(place)
        if node is None:
            return self._listed(place, place.name, (), "")
        if node.kind == "source" and (key := self.key(node, place)):
            return self._listed(place, node.name, key, "")
        if (known := self._known(node, place)) is None:
            known = self._first_seen(node, place)
        return self._of_known(node, place, known)

    def _first_seen(self, node: ProjectNode, place: TablePlace) -> KeptTable:
        """Record and return the current state of a table, which no earlier run has recorded."""
        run = self.run if node.kind == "source" else self.run - 1
        known = KeptTable(node.id, run, self.key(node, place), *self.state(place))
        self.built.setdefault(node.id, known)
        if node.kind != "source":
            self.unknown[node.id] = self._listed(place, node.name, known.key, f"@{run}")
        return known

    def _known(self, node: ProjectNode, place: TablePlace) -> KeptTable | None:
        """Return the stored state of a table if the table is still in that state; else None.

        If another release has stored it, and names the rows differently, it is not known either.
        """
        known = self._kept.table(node.id)
        if known is None or (known.rows, known.hash) != self.state(place):
            return None
        return known if known.canonical or not self._canonical(known.key, place) else None

    def begin(self, tables: Iterable[tuple[ProjectNode, TablePlace]]) -> None:
        """Choose the number of the run. ``tables`` existed before it, and its models read them.

        If a program other than a run with lineage made the last change to one of these tables, one
        number is skipped, and becomes the version of such tables' rows.
        """
        unknown = any(self._known(node, place) is None for node, place in tables)
        self.run = self._kept.next_run() + unknown

    def state(self, place: TablePlace) -> tuple[int, str]:
        """Return a table's number of rows, and a string that differs for any other state of it."""
        if place not in self._states:
            text = f"""
                select count(*), coalesce(max(rowid) + 1, 0), coalesce(sum(hash(t)), 0)::varchar
                from {place.sql()} t"""
            ((rows, end, found),) = self._opened.duckdb.execute(text).fetchall()
            self._opened.con.set_extent(place, rows, end)
            self._states[place] = int(rows), str(found)
        return self._states[place]

    def named(self, node: ProjectNode, place: TablePlace, key: Key) -> pa.Array:
        """Return the names of the rows in ``place``, all of which this run has made."""
        return self._listed(place, node.name, key, f"@{self.run}")

    def numbered(self, node: ProjectNode, positions: I64) -> pa.Array:
        """Return the names of the rows at ``positions``, all of which this run has made."""
        return self._numbered(node, positions, f"@{self.run}")

    def _numbered(self, node: ProjectNode, positions: I64, suffix: str) -> pa.Array:
        texts = pa.array(positions).cast(pa.string())
        return pc.binary_join_element_wise(f"{node.name}/", texts, suffix, "")

    def keep(self, node: ProjectNode, key: Key, names: pa.Array, mixed: bool) -> None:
        """Store the row names of a table that the run has built, in the order of row ids.

        ``mixed`` is whether the rows have different versions.
        """
        place = self._opened.stored(node)
        own = names if mixed else None
        self.built[node.id] = KeptTable(node.id, self.run, key, *self.state(place), own)
        self._names[place] = self._spread(place, names)

    def name(self, place: TablePlace, names: pa.Array) -> None:
        """Set the names of the rows in ``place``, in the order of row ids, without storing them."""
        self._names[place] = names

    def rows(self) -> Iterator[tuple[str, pa.Array]]:
        """Yield each node whose state is to be stored, and its rows' names without versions."""
        for node in self._opened.nodes:
            place = self._opened.place(node) if node.id in self.built else None
            if place in self._names:
                yield node.id, _plain(self._names[place].drop_null(), self.built[node.id])

    def key(self, node: ProjectNode, *places: TablePlace) -> Key:
        """Return the key columns that identify the rows in each of ``places``, or no columns."""
        candidates = self._candidates(node)
        return next((key for key in candidates if all(self._is_key(key, at) for at in places)), ())

    def _candidates(self, node: ProjectNode) -> Iterator[Key]:
        own = unique_key(node)
        if node.kind == "snapshot":
            names = snapshot_columns(node)
            yield (*own, names["valid_from"])
            yield (names["scd_id"],)
            return
        if own:
            yield own
        if node.id in self._declared:
            yield from ((column,) for column in self._declared[node.id].keys)

    def _is_key(self, key: Key, place: TablePlace) -> bool:
        columns = {name.lower() for name in self._opened.columns(place)}
        if not all(name.lower() in columns for name in key):
            return False
        if self._canonical(key, place):  # two values may have the same text, as 0.0 and -0.0
            texts = self._key_texts(key, place)
            return not texts.null_count and pc.count_distinct(texts).as_py() == len(texts)
        text = f"select count(*) = count(distinct {_text(key)}) from {place.sql()}"
        ((found,),) = self._opened.duckdb.execute(text).fetchall()
        return bool(found)

    def _canonical(self, key: Key, place: TablePlace) -> set[str]:
        """Return the columns of a key whose texts are not those of DuckDB."""
        kinds = {name.lower(): kind for name, kind in self._opened.columns(place).items()}
        return {name for name in key if _CANONICAL.fullmatch(kinds.get(name.lower(), ""))}

    def _key_texts(self, key: Key, place: TablePlace) -> pa.Array:
        """Return the keys of a table's rows as strings, in the order of row ids."""
        canonical = self._canonical(key, place)
        listed = ", ".join(
            quoted(name) if name in canonical else f"{quoted(name)}::varchar" for name in key
        )
        found = self._opened.arrow(f"select {listed} from {place.sql()} order by rowid")
        texts = [key_text(column.combine_chunks()) for column in found.columns]
        return pc.binary_join_element_wise(*texts, "/")

    def _listed(self, place: TablePlace, table: str, key: Key, suffix: str) -> pa.Array:
        """Return row names from a key, or from positions if ``key`` is empty, ordered by row id."""
        if self._canonical(key, place):
            texts = self._key_texts(key, place)
            return pc.binary_join_element_wise(f"{table}/", texts, suffix, "")
        found = _text(key) if key else "(row_number() over (order by rowid) - 1)::varchar"
        text = f"""
            select {text_of(f"{table}/")} || {found} || {text_of(suffix)} as name
            from {place.sql()} order by rowid"""
        return self._opened.arrow(text)["name"].combine_chunks()

    def name_view(self, node: ProjectNode, place: TablePlace) -> pa.Array:
        """Name the rows of a view, which ``place`` has a copy of, and store their version."""
        known = KeptTable(node.id, self.run, self.key(node, place), *self.state(place))
        self.built[node.id] = known
        self._names[place] = self._of_known(node, place, known)
        return self._names[place]

    def _of_known(self, node: ProjectNode, place: TablePlace, known: KeptTable) -> pa.Array:
        if known.names is not None:
            return known.names
        suffix = f"@{known.run}"
        if known.key or self._opened.is_table(place):
            return self._listed(place, node.name, known.key, suffix)
        listed = ", ".join(map(quoted, self._opened.columns(place)))
        text = f"""
            select row_number() over (order by row({listed})) - 1 as nth
            from {place.sql()} order by rowid"""  # a view has no other positions
        return self._numbered(node, self._opened.arrow(text)["nth"].to_numpy(), suffix)

    def _spread(self, place: TablePlace, names: pa.Array) -> pa.Array:
        rows, end = self._opened.con.extent(place)
        if rows == end:
            return names
        text = f"select rowid as rid from {place.sql()} order by rowid"
        rids = self._opened.arrow(text)["rid"].to_numpy()
        at = np.full(end, -1)
        at[rids] = np.arange(rids.size)
        return names.take(pa.array(at, mask=at < 0))


def _text(key: Key) -> str:
    """Return SQL that joins a key's columns into a string, or is NULL if one of them is NULL."""
    return " || '/' || ".join(f"{quoted(name)}::varchar" for name in key)


def _plain(names: pa.Array, known: KeptTable) -> pa.Array:
    """Return the names of a table's rows without their versions."""
    if known.names is None:
        return pc.utf8_slice_codeunits(names, 0, -len(f"@{known.run}"))
    return pc.replace_substring_regex(names, "@[0-9]+$", "")
