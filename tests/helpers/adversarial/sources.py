"""Random FROM clauses: tables, views, macros, derived tables and all kinds of joins."""

from dataclasses import dataclass

from .functions import Functions
from .marks import Use
from .schema import MACROS, NUMBERED, OBJECTS, TABLES, VIEWS, Kind, Object
from .scope import Column, Query, Scope

ALIASES = ("t", "u", "k", "v", "T", "q", "w", '"select"', "c0", '"__h0"', "eid", "x0", "tmp", "s2",
           "main", '"Q q"', "__k", "__b", "a", "b", "z", "rowid", "r1", "r2")  # fmt: skip
NAMES = ("k", "v", "c0", '"__h0"', "id", "x0", '"Order"', "eid", "n", '"K k"', "z", "rid", "x1",
         "__w0", "d", "w")  # fmt: skip


@dataclass
class Source:
    """One item of a FROM clause: its SQL text, its alias, and its columns."""

    text: str
    alias: str
    columns: list[tuple[str, Kind]]

    def scope(self) -> tuple[Column, ...]:
        """Return the columns, with the alias before each name."""
        return tuple(
            Column(f"{self.alias}.{name}", kind, name) for name, kind in self.columns if name
        )


class Sources(Functions):
    """A generator of the FROM clauses of blocks."""

    def __init__(self, seed: int, path: str) -> None:
        super().__init__(seed)
        self._path = ["temp", *path.split(","), "main"]
        self.ctes: list[tuple[str, list[tuple[str, Kind]]]] = []

    def written(self, found: Object) -> str:
        """Return a name by which SQL text can refer to an object.

        The schema is sometimes omitted if the name refers to the same object without it.
        """
        hidden = {name.lower() for name, _ in self.ctes}
        if found.name.lower() in hidden or self.chance(0.25):
            return found.key
        for schema in self._path:
            if (other := OBJECTS.get(f"{schema}.{found.name}")) is not None:
                return found.name if other is found else found.key
        return found.key

    def _alias(self, taken: set[str]) -> str:
        free = [each for each in ALIASES if each.strip('"').lower() not in taken]
        alias = self.rng.choice(free) if free else f"a{len(taken)}"
        taken.add(alias.strip('"').lower())
        return alias

    def item(self, depth: int, outer: Scope | None, taken: set[str]) -> Source:
        """Return one item of a FROM clause."""
        choice = self.weighted((
            (8, "table"), (2.2, "view"), (0.5, "macro"), (2 if depth > 0 else 0, "derived"),
            (9 if self.ctes else 0, "cte"), (0.4, "values"), (0.25, "series"),
        ))  # fmt: skip
        if choice == "table":
            # this table is used rarely, because a table with a column ``rowid`` is refused
            rare = 0.02
            tables = [each for each in TABLES if each.key not in NUMBERED or self.chance(rare)]
            return self._object(self.rng.choice((*tables, *TABLES[:4] * 2)), taken)
        if choice == "view":
            self.tag("view", fragile=self.nested > 0)
            self.sure = False
            view = self.rng.choice(VIEWS)
            self.monotone &= view.name in ("v1", "v3", "v5", "v8")
            return self._object(view, taken)
        if choice == "macro":
            return self._table_macro(depth, taken)
        if choice == "cte":
            return self._cte(taken)
        alias = self._alias(taken)
        if choice == "values":
            return self._values(depth, alias)
        if choice == "series":
            return self._series(depth, alias)
        return self._derived(depth, alias)

    def _object(self, found: Object, taken: set[str]) -> Source:
        columns = list(found.columns)
        plain = found.name.strip('"').lower()
        written = self.written(found)
        if plain not in taken and self.chance(0.35):
            taken.add(plain)
            return Source(Use(found.key, written, "b").mark(), found.name, columns)
        alias = self._alias(taken)
        listed = ""
        if self.chance(0.12):
            names = self.rng.sample(NAMES, len(columns)) if len(columns) <= len(NAMES) else []
            if names:
                columns = [(name, kind) for name, (_, kind) in zip(names, columns, strict=True)]
                listed = f"({', '.join(names)})"
                self.tags.add("alias with names of columns")
        return Source(f"{Use(found.key, written).mark()} {alias}{listed}", alias, columns)

    def _table_macro(self, depth: int, taken: set[str]) -> Source:
        found = self.rng.choice([each for each in MACROS if each.kind == "macro"])
        self.monotone &= found.name == "above"
        self.tag("table macro", fragile=self.nested > 0)
        self.sure = False
        argument = str(self.rng.randint(0, 2))
        if depth > 0 and self.chance(0.1):
            with self.within("the argument of a table function"):
                argument = self.scalar(Scope(), "int", depth - 1)
        alias = self._alias(taken)
        return Source(
            f"{Use(found.key, found.key).mark()}({argument}) {alias}", alias, list(found.columns)
        )

    def _cte(self, taken: set[str]) -> Source:
        name, columns = self.rng.choice(self.ctes)
        if name.strip('"').lower() not in taken and self.chance(0.5):
            taken.add(name.strip('"').lower())
            return Source(name, name, columns)
        alias = self._alias(taken)
        return Source(f"{name} {alias}", alias, columns)

    def _derived(self, depth: int, alias: str) -> Source:
        before = self.sure
        with self.within("a derived table", nested=True):
            inner = self.query(depth - 1, None, None)
        self.sure = before and self.sure
        self.tags.add("derived table")
        return Source(f"({inner.text}) {alias}", alias, [(c.name, c.kind) for c in inner.columns])

    def _values(self, depth: int, alias: str) -> Source:
        self.tag("VALUES")
        self.monotone = False
        rows = [f"({self._cell(depth)}, {self.literal('txt')})" for _ in range(2)]
        return Source(
            f"(values {', '.join(rows)}) {alias}(k, v)", alias, [("k", "int"), ("v", "txt")]
        )

    def _cell(self, depth: int) -> str:
        if depth > 0 and self.chance(0.2):
            with self.within("VALUES"):
                return self.scalar(Scope(), "int", depth - 1)
        return self.literal("int")

    def _series(self, depth: int, alias: str) -> Source:
        self.monotone = False
        with self.within("the argument of a table function"):
            start = (
                self.scalar(Scope(), "int", depth - 1) if depth > 0 and self.chance(0.2) else "1"
            )
        if self.chance(0.5):
            self.tag("unnest or range")
            return Source(f"range({start}, 4) {alias}(v)", alias, [("v", "int")])
        self.tag("unnest or range")
        return Source(f"unnest([{start}, 2, 2]) {alias}(v)", alias, [("v", "int")])

    def sources(self, depth: int, outer: Scope | None) -> tuple[str, Scope]:
        """Return the FROM clause's content, and the scope of the names that it introduces."""
        taken: set[str] = set()
        first = self.item(depth, outer, taken)
        text, parts = first.text, [first]
        for _ in range(self.rng.choice((0, 0, 0, 1, 1, 2))):
            text = self._joined(text, parts, depth, outer, taken)
        columns = [column for each in parts for column in each.scope()]
        names = [column.name.lower() for column in columns]
        bare = tuple(
            Column(column.name, column.kind, column.name)
            if names.count(column.name.lower()) == 1 and self.chance(0.3) else column
            for column in columns
        )  # fmt: skip
        rows = tuple(each.alias for each in parts)
        return text, Scope(bare, outer, None, rows, number=len(parts))

    def _joined(
        self, text: str, parts: list[Source], depth: int, outer: Scope | None, taken: set[str]
    ) -> str:
        kind = self.weighted((
            (4, "join"), (3, "left join"), (0.7, "right join"), (0.7, "full join"), (1, ","),
            (0.5, "cross join"), (0.4, "natural join"), (1, "using"), (0.6, "semi join"),
            (0.6, "anti join"), (0.5, "asof join"), (0.3, "positional join"), (0.8, "lateral"),
            (0.15, "unnest"),
        ))  # fmt: skip
        if kind == "unnest":
            return self._unnested(text, parts, taken)
        if kind == "lateral":
            return self._lateral(text, parts, depth, taken)
        other = self.item(depth, outer, taken)
        self.monotone &= kind in ("join", ",", "cross join", "natural join", "using", "semi join")
        if kind not in ("join", ","):
            self.tags.add("JOIN USING" if kind == "using" else kind.upper())
        sides = [column for each in parts for column in each.scope()]
        if kind in (",", "cross join", "positional join", "natural join"):
            self.fragile |= kind == "positional join"
            self.chooses |= kind == "positional join"
            self.sure = self.sure and kind in (",", "cross join")
            parts.append(other)
            return f"{text}{' ' * (kind != ',')}{kind} {other.text}"
        if kind == "using":
            shared = [
                name for name, one in other.columns if name
                and [n.lower() for each in parts for n, _ in each.columns].count(name.lower()) == 1
            ]  # fmt: skip
            if not shared:
                kind = "join"
            else:
                parts.append(other)
                side = self.rng.choice(("", "", "left ", "full "))
                self.sure = self.sure and not side
                self.monotone &= not side
                self.fragile |= bool(side) and (self.nested > 0 or len(parts) > 2)
                return f"{text} {side}join {other.text} using ({self.rng.choice(shared)})"
        on = self._on(tuple(sides), other, depth, outer, kind == "asof join")
        if kind != "join":
            self.sure = False
            self.fragile |= self.nested > 0 or len(parts) > 1
        if kind == "asof join":
            self.chooses = True
        if kind not in ("semi join", "anti join"):
            parts.append(other)
        return f"{text} {kind} {other.text} on {on}"

    def _on(
        self, sides: tuple[Column, ...], other: Source, depth: int, outer: Scope | None, asof: bool
    ) -> str:
        kinds = {each.kind for each in sides} & {kind for _, kind in other.columns}
        kinds -= {"map", "list", "struct"}
        kind = self.rng.choice(sorted(kinds)) if kinds else "int"
        if kinds & {"int", "txt"} and self.chance(0.7):
            kind = self.rng.choice(sorted(kinds & {"int", "txt"}))
        left, right = Scope(sides), Scope(other.scope())
        text = f"{self.column(left, kind)} = {self.column(right, kind)}"
        if asof:
            return f"{text} and {self.column(left, 'int')} >= {self.column(right, 'int')}"
        if self.chance(0.25):
            with self.within("ON"):
                both = Scope((*sides, *other.scope()), outer, number=2)
                text += f" {self.rng.choice(('and', 'or'))} {self.condition(both, depth)}"
        return text

    def _unnested(self, text: str, parts: list[Source], taken: set[str]) -> str:
        lists = [c for each in parts for c in each.scope() if c.kind == "list"]
        alias = self._alias(taken)
        of = self.rng.choice(lists).text if lists else "[1, 2]"
        self.tag("unnest of a column" if lists else "unnest or range")
        self.sure = False
        parts.append(Source("", alias, [("e", "int")]))
        return f"{text}, unnest({of}) {alias}(e)"

    def _lateral(self, text: str, parts: list[Source], depth: int, taken: set[str]) -> str:
        outer = Scope(tuple(c for each in parts for c in each.scope()), number=len(parts))
        self.tag("LATERAL", fragile=True)
        self.monotone = False
        self.sure = False
        with self.within("LATERAL", nested=True):
            inner: Query = self.query(max(depth - 1, 0), None, outer)
        alias = self._alias(taken)
        parts.append(Source("", alias, [(c.name, c.kind) for c in inner.columns]))
        word = self.rng.choice(("lateral ", "lateral ", ""))
        left = self.chance(0.2)
        before, after = (" left join ", " on true") if left else (", ", "")
        return f"{text}{before}{word}({inner.text}) {alias}{after}"
