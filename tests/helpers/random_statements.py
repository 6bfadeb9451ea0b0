"""Random programs of statements that store rows, and a model of the resulting lineage.

The model contains the records behind each stored row. It takes the direct records from the result
of the statement, whose rows are checked by running the user's own SQL on only these records, and it
follows chains on its own. All tables have the columns k, s and v, so that any query can read any of
them.
"""

import random
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from helpers.interactive_oracle import Row, rows_of
from provhouse.interactive import connect
from provhouse.interactive.result import Result
from provhouse.model.errors import UsageError
from provhouse.sql.not_covered import NotCovered

State = tuple[str, int]
"""A table between two changes: its name, and the number of changes so far."""
Record = tuple[str, int, int]
"""A record: the name of its table, the number of the table's changes so far, and its rid."""
PLAIN = "create table w(z int default 5, k bigint, s varchar, v int, g int generated always as (k))"
QUERIES = (
    "select k, s, v from {x} where v > 1 or s is null",
    "select x.k, y.s, x.v from {x} x join {y} y on x.k = y.k",
    "select x.k, y.s, y.v from {x} x left join {y} y on x.k = y.k and y.v > 2",
    "select k, min(s) as s, sum(v)::int as v from {x} group by k",
    "select k, s, count(*)::int as v from {x} group by all having count(*) < 4",
    "select distinct k, s, v from {x}",
    "select k, s, v from {x} union all select v, s, k from {y}",
    "select k, s, v from {x} union select k, s, v from {y}",
    "select k, s, sum(v) over (partition by k)::int as v from {x}",
    "select k, s, v from {x} order by k, s, v limit 4",
    "select k, s, v from {x} x where exists (from {y} y where y.k = x.k)",
    "select k, s, v from {x} where k not in (select k from {y} where k is not null)",
    "with q as (select max(v)::int as k, s from {x} group by s) select q.k, q.s, v from q, {y}",
    "select k, s, v from {x} where false",
)


@dataclass
class Program:
    """One random program, and a model of its tables."""

    seed: int
    folder: Path

    def __post_init__(self) -> None:
        self._rng = random.Random(self.seed)
        self.con = connect(duckdb.connect(config={"threads": 1}))
        self.rows = 0
        """The number of rows that reappeared when only their records were kept."""
        self._changes = Counter[str]()
        """For each table, how many times its rows or row numbers were changed."""
        self._direct: dict[Record, set[Record]] = {}
        """For each row stored by a statement with lineage, the records that it was made from."""
        self._read: dict[State, set[State]] = {}
        """For each state of a table, the states of the tables from which statements filled it."""
        self._gaps: set[str] = set()
        """The tables with deleted rows, to which the program adds no rows."""
        self._tables = ["a", "b", "w"]
        for name in ("a", "b"):
            self.con.execute(f"create table {name}(k int, s varchar, v int)")
            self._append(name)
        self.con.execute(PLAIN)

    def run(self) -> None:
        """Run two to four statements, with other statements in between; check all tables."""
        for at in range(self._rng.randint(2, 4)):
            self._rng.choice([self._create, self._create, self._insert, self._insert, self._copy])(
                at
            )
            if self._rng.random() < 0.4:
                self._other()
            for name in self._tables:
                self._check(name)

    def _create(self, at: int) -> None:
        known = [each for each in self._tables if each[0] in "abt"]
        name = self._rng.choice([f"t{at}", f"t{at}", *known])
        columns = self._rng.choice(["", "(k, s, v)"])
        begin = f"create {'or replace ' if name in known else ''}table {self._cased(name)}"
        self._stored(f"{begin}{columns} as {self._query()}", name, ("k", "s", "v"), replaces=True)

    def _insert(self, _: int) -> None:
        name = self._rng.choice([each for each in self._tables if self._growing(each)])
        columns = self._rng.choice([("k", "s", "v"), ("v", "s", "k"), ()])
        listed = f"({', '.join(columns)})" if columns else " by name"
        text = f"insert into {self._cased(name)}{listed} {self._query()}"
        self._stored(text, name, columns or ("k", "s", "v"))

    def _copy(self, at: int) -> None:
        name = f"'{self.folder}/{self.seed}-{at}.parquet'"
        text = f"copy ({self._query()}) to {name}" + self._rng.choice(["", " (row_group_size 3)"])
        self._stored(text, name, ("k", "s", "v"), replaces=True)

    def _query(self) -> str:
        x, y = self._rng.choice(self._tables), self._rng.choice(self._tables)
        return self._rng.choice(QUERIES).format(x=self._cased(x), y=self._cased(y))

    def _cased(self, name: str) -> str:
        return name if "'" in name else self._rng.choice([name, name.upper(), f'"{name}"'])

    def _growing(self, name: str) -> bool:
        return "'" not in name and name not in self._gaps

    def _other(self) -> None:
        """Run a statement without lineage, and record the changes that it makes."""
        name = self._rng.choice([each for each in self._tables if "'" not in each])
        what = self._rng.choice(["append", "append", "update", "delete", "replace", "view"])
        if what == "view":
            self.con.execute("create or replace view seen as select 1")
            return
        if what == "append":
            if self._growing(name):
                self._append(name)
            return
        self._changes[name] += 1
        if what == "update":
            self.con.execute(f"update {name} set v = v + 1 where k = 1")
        elif what == "delete":
            self.con.execute(f"delete from {name} where v = 2 or k is null")
            self._gaps.add(name)
        elif name == "w":
            self.con.execute("drop table w")
            self.con.execute(PLAIN)
            self._gaps.discard(name)
        else:
            self.con.execute(f"create or replace table {name} as select k, s, v from {name}")
            self._gaps.discard(name)

    def _append(self, name: str) -> None:
        for _ in range(self._rng.choice([0, 1, 3, 6])):
            k, v = (self._rng.choice(["null", 0, 1, 1, 2, 3]) for _ in range(2))
            s = self._rng.choice(["null", "'x'", "'y'", "''"])
            self.con.execute(f"insert into {name}(k, s, v) values ({k}, {s}, {v})")

    def _stored(
        self, text: str, name: str, columns: tuple[str, ...], replaces: bool = False
    ) -> None:
        """Run a statement with lineage, check the stored rows, and note the records behind them."""
        known = name in self._tables and "'" not in name
        end = self._one(f"select coalesce(max(rowid) + 1, 0) from {name}") if known else 0
        before = {each: self._rows(each) for each in self._tables}
        states = {each: self._state(each) for each in self._tables}
        if text.startswith("insert") and self._reads(text, name):
            with pytest.raises(NotCovered, match="a table that its query reads"):
                self.con.sql(text, lineage=True)
            assert self._rows(name).equals(before[name])
            return
        result = self.con.sql(text, lineage=True)
        first = 0 if replaces else end
        if replaces:
            self._changes[name] += 1
            self._gaps.discard(name)
        if name not in self._tables:
            self._tables.append(name)
        listed = f"select {', '.join(columns)} from {name}"
        rows = rows_of(self.con.duckdb.sql(listed).to_arrow_table())[first:]
        assert rows_of(result.to_arrow()) == rows, text
        state = self._state(name)
        sources = [states[self._name(place.name)] for place in result.tables]
        self._read.setdefault(state, set()).update(sources)
        step = max(1, len(rows) // 2)
        for at, row in enumerate(rows):
            rids = [
                result._lineage.backward([ref], np.array([at])).tolist()
                for ref in range(len(sources))
            ]
            self._direct[*state, first + at] = {
                (*source, rid) for source, found in zip(sources, rids, strict=True) for rid in found
            }
            if not at % step:
                self._check_again(text, name, listed, row, result, rids, before)
                self.rows += 1

    def _check_again(
        self,
        text: str,
        name: str,
        listed: str,
        row: Row,
        result: Result,
        rids: list[list[int]],
        before: dict[str, pa.Table],
    ) -> None:
        """Fail unless DuckDB stores the row again when its tables contain only its records."""
        cut: dict[str, set[int] | None] = {}
        for place, ref, found in zip(result.tables, result.references, rids, strict=True):
            source = self._name(place.name)
            if ref in result.negative or cut.get(source, set()) is None:
                cut[source] = None  # stays whole
            else:
                cut[source] = {*(cut.get(source) or ()), *found}
        with duckdb.connect(config={"threads": 1}) as plain:
            for source, chosen in cut.items():
                rows = before[source]
                if chosen is not None:
                    rows = rows.filter(pc.is_in(rows["r"], pa.array([*chosen], pa.int64())))
                rows = rows.drop_columns("r")
                if "'" not in source:
                    plain.execute(f"create table {source} as from rows")
                    continue
                pq.write_table(rows, self.folder / "cut.parquet")
                text = text.replace(source, f"'{self.folder}/cut.parquet'")
            if text.startswith("insert"):
                empty = before[name].slice(0, 0).drop_columns("r")
                assert empty.num_columns
                plain.execute(PLAIN if name == "w" else f"create table {name} as from empty")
            if name.startswith("'"):
                text = text.replace(name, f"'{self.folder}/again.parquet'")
                listed = listed.replace(name, f"'{self.folder}/again.parquet'")
            plain.execute(text)
            assert row in rows_of(plain.sql(listed).to_arrow_table()), (text, row, rids)

    def _reads(self, text: str, name: str) -> bool:
        """Return whether a statement's query reads a table, directly or through derived tables."""
        query = text[text.index("select") if "with q" not in text else text.index("with q") :]
        used = {
            each
            for each in self._tables
            if re.search(rf"(?i)(from|join|,) \"?{re.escape(each)}(?!\w)", query)
        }
        behind = (self._behind(self._state(each)) for each in used)
        return name in used or name in {each for found in behind for each, _ in found}

    def _rows(self, name: str) -> pa.Table:
        """Return the rows of a table, and their rids as the column r."""
        rid = "row_number() over () - 1" if "'" in name else "rowid"
        return self.con.duckdb.sql(f"select *, {rid} as r from {name}").to_arrow_table()

    def _check(self, name: str) -> None:
        """Compare a query's lineage to the tables behind ``name`` with the model."""
        result = self.con.sql(f"select * from {name}", lineage=True)
        state, rids = self._state(name), result.backward(self._plain(name)).rids.tolist()
        behind = self._behind(state)
        assert {self._name(each) for each in result.behind} == {each[0] for each in behind}
        for source in {each[0] for each in behind} - {name}:
            known = all(self._known((*state, rid), source) for rid in rids)
            if not known:
                with pytest.raises(UsageError, match=r"is unknown|can no longer be read"):
                    result.backward(self._plain(source))
                continue
            pairs = [
                (at, record[2])
                for at, rid in enumerate(rids)
                for record in self._records((*state, rid))
                if record[0] == source
            ]
            found = result.backward(self._plain(source)).rids.tolist()
            assert found == sorted({rid for _, rid in pairs}), (name, source)
            for at in range(0, len(rids), 3):
                found = result.backward(self._plain(source), [at]).rids.tolist()
                assert found == sorted({rid for row, rid in pairs if row == at}), (name, source)
            for rid in {rid for _, rid in pairs[::4]}:
                rows = result.forward(self._plain(source), [rid]).tolist()
                assert rows == sorted({row for row, each in pairs if each == rid}), (name, source)

    def _known(self, record: Record, source: str) -> bool:
        """Return whether the records of ``source`` behind a record are known and still readable."""
        if record[:2] not in self._read:
            return True
        if record not in self._direct:
            return False
        found = self._direct[record]
        ended = any(each[0] == source and each[:2] != self._state(source) for each in found)
        return not ended and all(self._known(each, source) for each in found)

    def _records(self, record: Record) -> set[Record]:
        found = self._direct.get(record, set())
        return found.union(*(self._records(each) for each in found))

    def _behind(self, state: State) -> set[State]:
        found = self._read.get(state, set())
        return found.union(*(self._behind(each) for each in found))

    def _state(self, name: str) -> State:
        return name, self._changes[name]

    def _one(self, query: str) -> int:
        ((found,),) = self.con.duckdb.sql(query).fetchall()
        return int(found)

    def _name(self, place: str) -> str:
        """Return the table's name in the model, in which a path is quoted."""
        return f"'{place}'" if "/" in place else place.lower()

    def _plain(self, name: str) -> str:
        return name.strip("'")
