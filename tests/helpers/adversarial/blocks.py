"""Random blocks, set operations and WITH queries, with their other clauses."""

from abc import abstractmethod
from dataclasses import replace

from .schema import Kind
from .scope import Column, Query, Scope
from .sources import NAMES, Sources

CTE_NAMES = ("q", "t", "u", "c", '"With"', "x", "__cte0")


class Blocks(Sources):
    """A generator of queries."""

    @abstractmethod
    def star(self, depth: int) -> Query:
        """Return a query whose select list has a star."""

    def query(self, depth: int, kinds: list[Kind] | None, outer: Scope | None) -> Query:
        """Return a query with columns of the given kinds, or of any kinds if None.

        The query may name columns of ``outer``.
        """
        before = list(self.ctes)
        with_ = self.ahead(depth - 1) if depth > 0 and self.chance(0.08) else ""
        if depth > 0 and kinds is None and outer is None and self.chance(0.08):
            found = self.star(depth)
        else:
            found = self.body(depth, kinds, outer, False)
        text = with_ + found.text
        if self.chance(0.08) and found.columns and outer is None:
            order = ", ".join(str(at) for at in range(1, len(found.columns) + 1))
            text += f" order by {order} limit {self.rng.randint(1, 4)}"
            self.monotone = False
            self.tag("LIMIT in a subquery", fragile=True)
            self.sure = False
        self.ctes = before
        return Query(text, found.columns)

    def single(self, depth: int, kind: Kind, outer: Scope) -> str:
        """Return a query with one row and one column."""
        start, scope = self.sources(max(depth, 0), outer)
        where = self.where(scope, depth)
        if kind == "int" and self.chance(0.3):
            return f"select count(*) from {start}{where}"
        if self.chance(0.15):
            self.monotone = False
            self.tag("LIMIT in a subquery", fragile=True, chooses=True)
            return f"select {self.column(scope, kind)} from {start}{where} order by all limit 1"
        plain = self.aggregate(scope, kind, 0) if self.chance(0.3) else ""
        self.chooses |= kind == "nc"  # 'a' and 'A' are ties of MIN
        return f"select {plain or f'min({self.column(scope, kind)})'} from {start}{where}"

    def body(self, depth: int, kinds: list[Kind] | None, outer: Scope | None, top: bool) -> Query:
        """Return a query without WITH and LIMIT."""
        choice = self.weighted((
            (5, "plain"), (4, "grouped"), (1, "distinct"), (0.4, "distinct on"), (1, "windowed"),
            (2 if depth > 0 else 0, "set"),
        ))  # fmt: skip
        if kinds is None and choice == "set":
            kinds = [self.rng.choice(("int", "int", "txt")) for _ in range(self.rng.randint(1, 3))]
        if choice == "set" and kinds is not None:
            return self._set(depth, kinds, outer)
        if choice == "grouped":
            return self._grouped(depth, kinds, outer)
        return self._plain(depth, kinds, outer, choice)

    def ahead(self, depth: int) -> str:
        """Return a WITH clause. The rest of the SQL text can refer to its queries."""
        parts = []
        for _ in range(self.rng.choice((1, 1, 2))):
            name = self.rng.choice(CTE_NAMES)
            if name in {each for each, _ in self.ctes}:
                continue
            with self.within("WITH", nested=True):
                inner = self.query(max(depth - 1, 0), None, None)
            columns = [(c.name, c.kind) for c in inner.columns]
            kept = self.rng.choice(("", "", "materialized ", "not materialized "))
            listed = ""
            if self.chance(0.2) and len(columns) <= len(NAMES):
                names = self.rng.sample(NAMES, len(columns))
                columns = [(n, kind) for n, (_, kind) in zip(names, columns, strict=True)]
                listed = f"({', '.join(names)})"
            parts.append(f"{name}{listed} as {kept}({inner.text})")
            self.ctes.append((name, columns))
        self.tags.add("WITH")
        self.sure = False
        return f"with {', '.join(parts)} " if parts else ""

    def _kinds(self, scope: Scope, kinds: list[Kind] | None) -> list[Kind]:
        if kinds is not None:
            return kinds
        return [self.some_kind(scope) for _ in range(self.rng.choice((1, 2, 2, 3)))]

    def _named(self, values: list[str], kinds: list[Kind], top: bool) -> tuple[str, list[Column]]:
        """Return a select list, and the columns that the list produces."""
        names = self.rng.sample(NAMES, len(values))
        listed, columns = [], []
        for value, name, kind in zip(values, names, kinds, strict=True):
            if top and self.chance(0.25):
                listed.append(value)
                columns.append(Column("", kind))
            else:
                listed.append(f"{value} {self.rng.choice(('as ', ''))}{name}")
                columns.append(Column(name, kind, name))
        return ", ".join(listed), columns

    def where(self, scope: Scope, depth: int) -> str:
        """Return a WHERE clause, or an empty string."""
        if not self.chance(0.33):
            return ""
        with self.within("WHERE"):
            return f" where {self.condition(scope.plain(), depth)}"

    def _plain(
        self, depth: int, kinds: list[Kind] | None, outer: Scope | None, choice: str
    ) -> Query:
        start, scope = self.sources(depth, outer)
        kinds = self._kinds(scope, kinds)
        windows = choice == "windowed"
        inside = replace(scope, windows=windows)
        values = [self.value(inside, kind, depth) for kind in kinds]
        if windows and self.chance(0.7):
            values[0] = self.window(scope, kinds[0], depth)
        listed, columns = self._named(values, kinds, self.nested == 0)
        where = self.where(scope, depth)
        if where:
            where = self._reused(where, columns, scope)
        tail = ""
        if windows and self.chance(0.3):
            self.tag("QUALIFY", fragile=self.nested > 0)
            with self.within("QUALIFY"):
                tail = f" qualify {self.window(scope, 'int', 0)} <= {self.column(scope, 'int')}"
        word = "select"
        if choice == "distinct":
            word = "select distinct"
            self.tag("DISTINCT", fragile=self.nested > 0 and scope.number > 1)
        if choice == "distinct on":
            key = self.column(scope, self.some_kind(scope))
            word = f"select distinct on ({key})"
            tail += f" order by {key}, {', '.join(each.text for each in scope.columns[:4]) or '1'}"
            self.monotone = False
            self.tag("DISTINCT ON", fragile=True, chooses=True)
            self.sure = False
            return Query(f"({word} {listed} from {start}{where}{tail})", columns)
        if choice in ("distinct", "windowed"):
            self.sure = False
        return Query(f"{word} {listed} from {start}{where}{tail}", columns)

    def _reused(self, where: str, columns: list[Column], scope: Scope) -> str:
        """Return a WHERE clause that may use an alias of the select list."""
        known = {each.name.lower() for each in scope.columns}
        free = [c for c in columns if c.name and c.kind == "int" and c.name.lower() not in known]
        if not free or not self.chance(0.15):
            return where
        self.tag("alias of the select list in WHERE")
        return f"{where} and {free[0].name} >= 0"

    def _grouped(self, depth: int, kinds: list[Kind] | None, outer: Scope | None) -> Query:
        start, scope = self.sources(depth, outer)
        kinds = self._kinds(scope, kinds)
        keys = []
        for kind in kinds:
            if self.chance(0.55) and self.chance(0.9):
                with self.within("a group key"):
                    keys.append(Column(self.value(scope.plain(), kind, depth - 1), kind))
        if kinds and keys and self.chance(0.1):
            with self.within("a group key"):
                keys.append(Column(self.value(scope.plain(), "int", depth - 1), "int"))
        keys = list({key.text: key for key in keys}.values())
        self.fragile |= self.nested > 0 and scope.number > 1
        inside = Scope(tuple(keys), outer, scope, windows=self.chance(0.15), number=scope.number)
        values = []
        free = list(keys)
        for kind in kinds:
            own = [each for each in free if each.kind == kind]
            if own and self.chance(0.8):
                values.append(own[0].text)
                free.remove(own[0])
            elif keys and self.chance(0.25):
                values.append(self.value(inside, kind, depth))
            else:
                values.append(self.aggregate(scope, kind, depth))
        if not keys and not any("(" in each for each in values):
            values[0] = self.aggregate(scope, kinds[0], 0)
        self.grouped = True
        self.sure = self.sure and self.nested == 0 and scope.number == 1 and bool(keys)
        listed, columns = self._named(values, kinds, self.nested == 0)
        text = f"select {listed} from {start}{self.where(scope, depth)}"
        text += self._group_by(keys, values, columns)
        if self.chance(0.25):
            self.tag("HAVING", fragile=self.nested > 0)
            self.sure = False
            with self.within("HAVING"):
                text += f" having {self.condition(replace(inside, windows=False), depth)}"
        return Query(text, columns)

    def _group_by(self, keys: list[Column], values: list[str], columns: list[Column]) -> str:
        if not keys:
            return ""
        listed = []
        for key in keys:
            at = values.index(key.text) if key.text in values else -1
            if at >= 0 and self.chance(0.3):
                listed.append(str(at + 1))
                self.tag("GROUP BY position")
            else:
                listed.append(key.text)
        choice = self.weighted(
            ((8, "plain"), (0.8, "rollup"), (0.5, "cube"), (0.7, "sets"), (1, "all"))
        )
        if choice == "all" and all(key.text in values for key in keys):
            self.tag("GROUP BY ALL")
            return " group by all"
        if choice in ("plain", "all"):
            return f" group by {', '.join(listed)}"
        self.monotone = False
        self.tag("ROLLUP, CUBE, GROUPING SETS", fragile=self.nested > 0)
        self.sure = False
        if choice == "sets":
            return f" group by grouping sets (({', '.join(listed)}), ({listed[0]}), ())"
        if len(listed) > 1 and self.chance(0.3):
            return f" group by {listed[0]}, {choice}({', '.join(listed[1:])})"
        return f" group by {choice}({', '.join(listed)})"

    def _set(self, depth: int, kinds: list[Kind], outer: Scope | None) -> Query:
        operator = self.rng.choice((
            "union", "union all", "union all", "intersect", "except", "intersect all", "except all",
            "union by name", "union all by name",
        ))  # fmt: skip
        self.monotone &= "except" not in operator and "all" not in operator
        self.tag(operator.upper(), fragile=self.nested > 0 or "except" in operator)
        self.sure = False
        with self.within(self.place, nested=True):
            left = self.body(depth - 1, kinds, outer, False)
            right = self.body(depth - 1, kinds, outer, False)
        parts = [each.text for each in (left, right)]
        if self.chance(0.5):
            parts = [f"({each})" for each in parts]
        columns = left.columns
        if "by name" in operator:
            names = {each.name.lower() for each in left.columns}
            columns = columns + [c for c in right.columns if c.name.lower() not in names]
            kinds_of = {c.name.lower(): c.kind for c in left.columns}
            if any(kinds_of.get(c.name.lower(), c.kind) != c.kind for c in right.columns):
                columns = [replace(c, name="") for c in columns]
        return Query(f" {operator} ".join(parts), columns)

    def order(self, found: Query) -> tuple[str, bool]:
        """Return an ORDER BY clause, and whether it determines the order of all rows."""
        number = len(found.columns)
        choice = self.weighted(((3, "all"), (2, "positions"), (1, "names"), (0.5, "word")))
        if choice == "all":
            word = self.rng.choice((" desc", "", " nulls first"))
            return " order by " + ", ".join(f"{at}{word}" for at in range(1, number + 1)), True
        if choice == "word":
            return " order by all", True
        named = [each.name for each in found.columns if each.name]
        if choice == "names" and named:
            return f" order by {self.rng.choice(named)} desc nulls last", False
        return f" order by {self.rng.randint(1, number)}", False

    def limit(self, depth: int) -> tuple[str, bool]:
        """Return a LIMIT clause, and whether it always makes DuckDB choose among rows."""
        choice = self.weighted(
            ((4, "number"), (1, "offset"), (0.6, "percent"), (0.8, "subquery"), (0.3, "sum"))
        )
        if choice == "number":
            return f" limit {self.rng.randint(1, 4)}", False
        if choice == "offset":
            return f" limit {self.rng.randint(1, 4)} offset {self.rng.randint(0, 2)}", False
        if choice == "percent":
            return f" limit {self.rng.choice((20, 50, 100))}%", False
        if choice == "sum":
            return " limit 1 + 1", False
        with self.within("LIMIT"):
            self.tag("subquery in LIMIT")
            self.sure = False
            return f" limit ({self.single(0, 'int', Scope())})", False
