"""Random tables with NULLs and duplicates, and random SQL over these tables.

Values are small whole numbers and letters, so that joins find matches and results are exact.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count

Kind = str
"""The type of a column: ``n`` (number) or ``t`` (string)."""
TABLES: dict[str, dict[str, Kind]] = {
    "a": {"id": "n", "k": "n", "s": "t", "v": "n"},
    "b": {"k": "n", "w": "n"},
    "c": {"k": "n", "s": "t", "z": "n"},
    "e": {"k": "n", "w": "n"},
}
"""The tables, with the types of their columns. ``id`` is unique, and ``e`` has no rows."""


def statements(seed: int) -> list[str]:
    """Return the SQL statements that create the tables. Each table has 0 to 9 rows."""
    rng = random.Random(seed)
    found = []
    for name, columns in TABLES.items():
        types = ", ".join(f"{each} {'int' if columns[each] == 'n' else 'text'}" for each in columns)
        found.append(f"create table {name}({types})")
        rows = 0 if name == "e" else rng.choice((3, 6, 7, 8, 9, 9, 9, 0))
        for row in range(rows):
            cells = ", ".join(
                str(row) if each == "id" else _cell(rng, kind) for each, kind in columns.items()
            )
            found += [f"insert into {name} values ({cells})"]
    return found


def _cell(rng: random.Random, kind: Kind) -> str:
    if rng.random() < 0.15:
        return "null"
    return str(rng.randint(0, 4)) if kind == "n" else rng.choice(("'x'", "'y'", "'z'"))


@dataclass
class Source:
    """A table or query in a FROM clause: its SQL text, and its columns with their types."""

    text: str
    columns: dict[str, Kind]


class Writer:
    """A generator of one query for each seed.

    ``sure`` states whether each row of the result must disappear or change if all its records of
    any one reference are left out. This is not certain if the row may have alternatives, or if a
    part of the query may have no effect.
    """

    def __init__(self, seed: int) -> None:
        self._rng = random.Random(seed)
        self._names = count()
        self._with: list[tuple[str, list[Kind]]] = []
        self.sure = True

    def query(self) -> str:
        """Return the SQL text of the query."""
        parts = []
        for _ in range(self._rng.choice((0, 0, 0, 1, 2))):
            name, kinds = f"q{next(self._names)}", self._kinds()
            parts.append(f"{name} as ({self._body(1, kinds, False)})")
            self._with.append((name, kinds))
        kinds = self._kinds()
        text = self._body(2, kinds, True)
        if self._chance(0.15):
            self.sure = False  # an equal row may replace a row that disappears
            order = ", ".join(f"c{at}" for at in range(len(kinds)))
            text += f" order by {order} limit {self._rng.randint(1, 4)}"
        return (f"with {', '.join(parts)} " if parts else "") + text

    def _chance(self, share: float) -> bool:
        return self._rng.random() < share

    def _kinds(self) -> list[Kind]:
        return [self._rng.choice("nnt") for _ in range(self._rng.randint(1, 3))]

    def _body(self, depth: int, kinds: list[Kind], top: bool) -> str:
        """Return a query with columns ``c0``, ``c1``, ... of the given types, without ORDER BY."""
        writers = [self._plain, self._grouped, self._distinct, self._windowed, self._set]
        weights = [4, 4, 1, 1.5, 2.5 if depth else 0]
        (write,) = self._rng.choices(writers, weights)
        return write(depth, kinds, top)

    def _plain(self, depth: int, kinds: list[Kind], top: bool) -> str:
        sources, start = self._from(depth)
        columns = [self._column(sources, kind, depth, top) for kind in kinds]
        return f"select {_named(columns)} from {start}{self._where(sources, depth)}"

    def _distinct(self, depth: int, kinds: list[Kind], top: bool) -> str:
        return self._plain(depth, kinds, False).replace("select", "select distinct", 1)

    def _grouped(self, depth: int, kinds: list[Kind], top: bool) -> str:
        sources, start = self._from(depth)
        columns, keys = [], []
        for kind in kinds:
            if kind == "t" or self._chance(0.4):
                column = self._pick(sources, kind)
                column = f"{column} % 2" if kind == "n" and self._chance(0.15) else column
                keys.append(column)
                columns.append(column)
            else:
                columns.append(self._aggregate(sources))
        if not keys:
            columns[0] = "count(*)"
            self.sure = self.sure and top  # the query has a row even if it reads none
        text = f"select {_named(columns)} from {start}{self._where(sources, depth)}"
        keys = list(dict.fromkeys(keys))
        if keys:
            text += f" group by {self._grouping(keys)}"
        if self._chance(0.3):
            text += f" having {self._having(sources, depth)}"
        return text

    def _grouping(self, keys: list[str]) -> str:
        listed = ", ".join(keys)
        if self._chance(0.75):
            return listed
        self.sure = False  # the sums are over all rows
        sets = f"grouping sets (({listed}), ({keys[0]}), ())"
        return self._rng.choice((f"rollup({listed})", f"cube({listed})", sets))

    def _having(self, sources: list[Source], depth: int) -> str:
        number = self._rng.randint(0, 2)
        if self._chance(0.7) or not depth:
            return f"count(*) > {number}"
        self.sure = False
        return f"count(*) >= {self._scalar([], depth)}"

    def _aggregate(self, sources: list[Source]) -> str:
        if self._chance(0.4):
            return "count(*)"
        function = self._rng.choice(("sum({})", "min({})", "max({})", "count(distinct {})"))
        text = function.format(self._pick(sources, "n"))
        if self._chance(0.15):
            text += f" filter ({self._pick(sources, 'n')} > 1)"
        return text

    def _windowed(self, depth: int, kinds: list[Kind], top: bool) -> str:
        self.sure = False  # a partition has more rows than the value needs
        sources, start = self._from(depth)
        columns = [
            self._window(sources) if kind == "n" and self._chance(0.6) else
            self._pick(sources, kind) for kind in kinds
        ]  # fmt: skip
        text = f"select {_named(columns)} from {start}{self._where(sources, depth)}"
        return text + (f" qualify {self._window(sources)} <= 2" if self._chance(0.3) else "")

    def _window(self, sources: list[Source]) -> str:
        of, by, order = (self._pick(sources, "n") for _ in range(3))
        function = self._rng.choice(
            ("rank()", "dense_rank()", "count(*)", f"sum({of})", f"max({of})")
        )
        partition = f"partition by {by}" if self._chance(0.7) else ""
        return f"{function} over ({partition} order by {order})"

    def _set(self, depth: int, kinds: list[Kind], top: bool) -> str:
        operator = self._rng.choice(("union", "union all", "intersect", "except"))
        if operator in ("intersect", "except") and self._chance(0.4):
            operator += " all"
        if operator == "union" or not top:
            self.sure = False
        left, right = (self._body(depth - 1, kinds, False) for _ in range(2))
        if self._chance(0.2):
            left = self._limited(kinds)
            self.sure = False
        return f"({left}) {operator} ({right})"

    def _limited(self, kinds: list[Kind]) -> str:
        """Return a query with LIMIT, whose rows are certain because they are ordered by a key."""
        source = self._table("a")
        columns = [self._pick([source], kind) for kind in kinds]
        key = next(iter(source.columns))
        return (
            f"select {_named(columns)} from {source.text} order by {self._pick([source], 'n')}, "
            f"{key} limit {self._rng.randint(1, 4)}"
        )

    def _table(self, name: str) -> Source:
        alias = f"t{next(self._names)}"
        return Source(
            f"{name} {alias}", {f"{alias}.{each}": kind for each, kind in TABLES[name].items()}
        )

    def _source(self, depth: int) -> Source:
        if self._with and self._chance(0.3):
            name, kinds = self._rng.choice(self._with)
            alias = f"t{next(self._names)}"
            return Source(f"{name} {alias}", _columns(alias, kinds))
        if depth and self._chance(0.25):
            kinds = ["n", *self._kinds()]
            inner = self._limited(kinds) if self._chance(0.15) else None
            self.sure = self.sure and not inner
            inner = inner or self._body(depth - 1, kinds, False)
            alias = f"t{next(self._names)}"
            return Source(f"({inner}) {alias}", _columns(alias, kinds))
        (name,) = self._rng.choices(list(TABLES), (4, 4, 4, 0.5))
        return self._table(name)

    def _from(self, depth: int) -> tuple[list[Source], str]:
        """Return the sources that a query block reads, and its FROM clause."""
        sources = [self._source(depth)]
        text = sources[0].text
        for _ in range(self._rng.choice((0, 0, 1, 1, 2))):
            other = self._source(depth)
            (join,) = self._rng.choices(
                ("join", "left join", "right join", "full join", "semi join", "anti join", ","),
                (8, 3, 1, 1, 1, 1, 1),
            )
            if join == ",":
                text = f"{text} cross join {other.text}"
            else:
                left, right = self._pick(sources, "n"), self._pick([other], "n")
                text += f" {join} {other.text} on {left} = {right}"
                if self._chance(0.2):
                    text += f" and {self._compared([*sources, other])}"
            if join not in ("semi join", "anti join"):
                sources.append(other)
            if join in ("left join", "right join", "full join"):
                self.sure = False
        return sources, text

    def _where(self, sources: list[Source], depth: int) -> str:
        found = [self._condition(sources, depth) for _ in range(self._rng.choice((0, 0, 1, 1, 2)))]
        return f" where {' and '.join(found)}" if found else ""

    def _condition(self, sources: list[Source], depth: int) -> str:
        if not depth or self._chance(0.5):
            return self._compared(sources)
        if self._chance(0.15):
            self.sure = False
            return f"({self._compared(sources)} or {self._subquery(sources, depth)})"
        return self._subquery(sources, depth)

    def _compared(self, sources: list[Source]) -> str:
        column = self._pick(sources, "n")
        other = self._rng.choice((str(self._rng.randint(0, 4)), self._pick(sources, "n")))
        operator = self._rng.choice(("<", ">=", "<>", "=", "is not distinct from"))
        return self._rng.choice((f"{column} {operator} {other}", f"{column} is not null"))

    def _subquery(self, sources: list[Source], depth: int) -> str:
        """Return a condition with a subquery."""
        column = self._pick(sources, "n")
        kind = self._rng.choice(("exists", "not exists", "in", "not in", "scalar", "any", "all"))
        if kind in ("exists", "not exists"):
            return f"{kind} ({self._inner(sources, depth, '1')})"
        if kind == "scalar":
            self.sure = False
            return f"{column} >= {self._scalar(sources, depth)}"
        inner = self._inner(sources, depth, "{}")
        if kind in ("any", "all"):
            return f"{column} >= {kind}({inner})"
        return f"{column} {kind} ({inner})"

    def _inner(self, outer: list[Source], depth: int, form: str) -> str:
        """Return a query with one column, which often refers to a column of the outer query."""
        if form == "{}" and depth > 1 and self._chance(0.15):
            operator = self._rng.choice(("union", "union all", "intersect", "except"))
            left, right = (self._inner(outer, 1, "{}") for _ in range(2))
            return f"{left} {operator} {right}"
        inner, start = [first := self._source(depth - 1)], first.text
        if self._chance(0.2):
            inner, start = self._from(depth - 1)
        key = self._pick(inner, "n")
        conditions = []
        if outer and self._chance(0.7):
            conditions.append(f"{self._pick(inner, 'n')} = {self._pick(outer, 'n')}")
        if self._chance(0.4):
            conditions.append(self._condition([*inner, *outer], depth - 1))
        where = f" where {' and '.join(conditions)}" if conditions else ""
        text = f"select {form.format(key)} from {start}{where}"
        grouped = form == "{}" and self._chance(0.15)
        return f"{text} group by {key} having count(*) > 1" if grouped else text

    def _scalar(self, outer: list[Source], depth: int) -> str:
        form = self._rng.choice(("count(*)", "max({})", "sum({})", ""))
        if not form:
            return f"({self._inner(outer, 1, '{} as o')} order by o desc limit 1)"
        return f"({self._inner(outer, depth, form)})"

    def _column(self, sources: list[Source], kind: Kind, depth: int, top: bool) -> str:
        if kind == "n" and depth and self._chance(0.12):
            self.sure = False  # the value may be NULL in any case
            return self._scalar(sources, depth)
        return self._pick(sources, kind)

    def _pick(self, sources: Sequence[Source], kind: Kind) -> str:
        """Return a column of the given type."""
        found = [name for each in sources for name, one in each.columns.items() if one == kind]
        if found:
            return self._rng.choice(found)
        every = [name for each in sources for name in each.columns]
        cast = "varchar" if kind == "t" else "int"
        column = self._rng.choice(every)
        return f"cast({column} as {cast})" if kind == "t" else f"length({column})"


def _named(columns: list[str]) -> str:
    return ", ".join(f"{column} as c{at}" for at, column in enumerate(columns))


def _columns(alias: str, kinds: list[Kind]) -> dict[str, Kind]:
    return {f"{alias}.c{at}": kind for at, kind in enumerate(kinds)}
