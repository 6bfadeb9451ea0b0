"""Random expressions of a given kind, over the columns of a scope."""

from abc import abstractmethod

from .schema import VALUES, Kind
from .scope import Column, Facts, Query, Scope

COMPARABLE = ("int", "int", "int", "txt", "txt", "nc", "dbl", "dec", "date", "enum", "bool")
ALIKE = {"nc": "txt", "txt": "nc", "dec": "int", "big": "int", "hug": "int", "float": "dbl"}
COMPARISONS = ("=", "<", ">=", ">=", "<=", "<>", "<>", "is not distinct from", "is distinct from")


class Expressions(Facts):
    """A generator of expressions. The class that writes queries writes their subqueries."""

    @abstractmethod
    def query(self, depth: int, kinds: list[Kind] | None, outer: Scope | None) -> Query:
        """Return a query with columns of the given kinds, or of any kinds if None.

        The query may name columns of ``outer``.
        """

    @abstractmethod
    def window(self, scope: Scope, kind: Kind, depth: int) -> str:
        """Return a window function."""

    @abstractmethod
    def aggregate(self, scope: Scope, kind: Kind, depth: int) -> str:
        """Return an aggregate over the rows of a scope."""

    def literal(self, kind: Kind) -> str:
        """Return a literal of a kind."""
        text = self.rng.choice(VALUES[kind])
        return f"{text}::mood" if kind == "enum" else text

    def column(self, scope: Scope, kind: Kind) -> str:
        """Return a column of the given kind, or a literal if the scope contains none."""
        found = self.columns(scope, kind)
        if scope.outer and (not found or self.chance(0.25)):
            above: Scope | None = scope.outer
            while above is not None:
                if above.raw is None:
                    outer = [each for each in above.columns if each.kind == kind]
                else:
                    outer = [each for each in above.columns if each.kind == kind and each.name]
                if outer:
                    self.tags.add("correlated subquery")
                    found = outer
                    break
                above = above.outer
        return self.rng.choice(found).text if found else self.literal(kind)

    def columns(self, scope: Scope, kind: Kind) -> list[Column]:
        """Return the columns of a kind in the scope."""
        return [each for each in scope.columns if each.kind == kind]

    def some_kind(self, scope: Scope) -> Kind:
        """Return the kind of a random column, or a kind whose values can be compared."""
        if scope.columns and self.chance(0.8):
            return self.rng.choice(scope.columns).kind
        return self.rng.choice(COMPARABLE)

    def value(self, scope: Scope, kind: Kind, depth: int) -> str:
        """Return an expression of the given kind."""
        self.size += 1
        if scope.raw is not None and self.chance(0.55):
            return self.aggregate(scope.raw, kind, depth)
        if scope.windows and self.chance(0.12):
            return self.window(scope, kind, depth)
        if depth <= 0 or self.size > 25:
            return self.column(scope, kind)
        choice = self.weighted((
            (6, "column"), (0.6, "literal"), (0.4, "coalesce"), (0.5, "case"), (0.2, "nullif"),
            (0.8, "scalar"), (2.5, "own"), (0.1, "null"),
        ))  # fmt: skip
        if choice == "column":
            return self.column(scope, kind)
        if choice == "literal":
            return self.literal(kind)
        if choice == "null":
            return f"null::{'varchar' if kind in ('txt', 'nc') else self.type_of(kind)}"
        below = depth - 1
        if choice == "coalesce":
            return f"coalesce({self.value(scope, kind, below)}, {self.literal(kind)})"
        if choice == "nullif":
            return f"nullif({self.value(scope, kind, below)}, {self.literal(kind)})"
        if choice == "case":
            self.monotone = False
            with self.within("CASE"):
                condition = self.condition(scope, below)
            end = f" else {self.column(scope, kind)}" if self.chance(0.7) else ""
            return f"case when {condition} then {self.column(scope, kind)}{end} end"
        if choice == "scalar":
            return self.scalar(scope, kind, below)
        return self.own(scope, kind, below)

    def type_of(self, kind: Kind) -> str:
        """Return the name of the SQL type for a kind."""
        from .schema import TYPES

        return TYPES[kind]

    def own(self, scope: Scope, kind: Kind, depth: int) -> str:
        """Return an expression that is specific to the given kind."""
        if kind == "int":
            return self._number(scope, depth)
        if kind in ("txt", "nc"):
            return self._text(scope, depth)
        if kind == "bool":
            return f"({self.condition(scope, depth)})"
        if kind in ("dbl", "float"):
            one = self.column(scope, kind)
            return self.rng.choice((f"{one} * 2", f"-{one}", f"{one} / 2", f"abs({one})"))
        if kind in ("dec", "big", "hug"):
            return f"-({self.column(scope, kind)} % 5)"
        if kind == "date":
            return f"({self.column(scope, 'date')} + 1)"
        if kind == "list":
            one = self.column(scope, "list")
            self.tag("lambda or list comprehension")
            return self.rng.choice((
                f"list_transform({one}, lambda x: x + {self.column(scope, 'int')})",
                f"[x * 2 for x in {one} if x > 0]", f"list_filter({one}, lambda x: x > 1)",
            ))  # fmt: skip
        if kind == "struct":
            pair = f"{{'a': {self.column(scope, 'int')}, 'b': {self.column(scope, 'txt')}}}"
            return self.rng.choice((pair, self.column(scope, "struct")))
        return self.column(scope, kind)

    def _number(self, scope: Scope, depth: int) -> str:
        one, two = self.value(scope, "int", depth), self.column(scope, "int")
        forms = [
            f"({one} + {two})", f"{one} % 2", f"abs({one})", f"-{two}", f"({one} * 2)",
            f"length({self.column(scope, 'txt')})", f"year({self.column(scope, 'date')})",
            f"({self.condition(scope, depth)})::int", f"greatest({one}, {two})",
        ]  # fmt: skip
        if self.columns(scope, "struct"):
            forms += [f"({self.column(scope, 'struct')}).a"] * 3
            self.tags.add("struct access")
        if self.columns(scope, "list"):
            forms += [f"{self.column(scope, 'list')}[1]", f"len({self.column(scope, 'list')})"] * 2
        if self.columns(scope, "map"):
            forms += [f"{self.column(scope, 'map')}['a']"] * 2
        if self.chance(0.25):
            return self._macro(scope, depth)
        return self.rng.choice(forms)

    def _macro(self, scope: Scope, depth: int) -> str:
        from .marks import Use

        names = ["addone", "addone", "sub"]
        names += ["win"] * 2 if scope.windows and scope.raw is None else []
        if scope.raw is not None:
            names += ["total"] * 3
        name = self.rng.choice(names)
        written = self.rng.choice((name, f"main.{name}"))
        self.monotone &= name == "addone"
        self.grouped |= name == "sub"
        inner = scope.raw if name == "total" and scope.raw else scope
        self.tag(f"scalar macro {name}")
        argument = self.column(inner, "int")
        if name == "sub" and "." not in argument:
            # a name that the table of the macro also has would be refused
            argument = self.literal("int")
        return f"{Use(f'main.{name}', written).mark()}({argument})"

    def _text(self, scope: Scope, depth: int) -> str:
        one = self.value(scope, "txt", depth)
        forms = [
            f"upper({one})", f"({one} || {self.column(scope, 'txt')})", f"lower({one})",
            f"{self.column(scope, self.some_kind(scope))}::varchar", f"{one} collate nocase",
            f"substr({one}, 1, 1)", f"concat({one}, {self.column(scope, 'int')})",
        ]  # fmt: skip
        if scope.rows and scope.raw is None and self.chance(0.3):
            self.tag("whole row as a value")
            row = self.rng.choice(scope.rows)
            return self.rng.choice((f"{row}::varchar", f"to_json({row})::varchar"))
        return self.rng.choice(forms)

    def condition(self, scope: Scope, depth: int) -> str:
        """Return a condition."""
        self.size += 1
        choice = self.weighted((
            (5, "compare"), (0.6, "and"), (1.5, "or"), (0.6, "not"), (0.6, "in"), (0.5, "null"),
            (0.3, "between"), (0.3, "like"), (0.5, "bool"), (2.2, "subquery"),
        ))  # fmt: skip
        if depth <= 0 or self.size > 25:
            choice = "compare"
        below = depth - 1
        if choice in ("and", "or"):
            return f"({self.condition(scope, below)} {choice} {self.condition(scope, below)})"
        if choice == "not":
            self.monotone = False
            return f"not ({self.condition(scope, below)})"
        if choice == "subquery":
            return self.subquery(scope, below)
        if choice == "bool":
            return f"coalesce({self.value(scope, 'bool', below)}, {self.literal('bool')})"
        if choice == "like":
            return f"{self.value(scope, 'txt', below)} like {self.rng.choice(VALUES['txt'])[:-1]}%'"
        kind = self.some_kind(scope)
        one = self.value(scope, kind, below)
        if choice == "null":
            return f"{one} is {self.rng.choice(('', 'not '))}null"
        if choice == "between":
            return f"{one} between {self.literal(kind)} and {self.column(scope, kind)}"
        if choice == "in":
            return f"{one} {self.rng.choice(('', 'not '))}in ({self._members(scope, kind, below)})"
        operator = self.rng.choice(COMPARISONS)
        other = ALIKE.get(kind, kind) if self.chance(0.3) else kind
        return f"{one} {operator} {self.value(scope, other, below)}"

    def _members(self, scope: Scope, kind: Kind, depth: int) -> str:
        members = [self.literal(kind), self.column(scope, kind)]
        if depth > 0 and self.chance(0.4):
            with self.within("an IN list"):
                members.append(self.scalar(scope, kind, depth))
        return ", ".join(members)

    def noted(self, what: str) -> None:
        """Note that the query has a subquery of the kind ``what``, and its position there."""
        self.tag(f"{what} in {self.place}", fragile=self.nested > 0)
        self.sure = False

    def scalar(self, scope: Scope, kind: Kind, depth: int) -> str:
        """Return a subquery with one value."""
        self.noted("scalar subquery")
        self.monotone = False
        with self.within("the select list of a subquery", nested=True):
            inner = self.single(depth, kind, scope)
        return f"({inner})"

    @abstractmethod
    def single(self, depth: int, kind: Kind, outer: Scope) -> str:
        """Return a query with one row and one column."""

    def subquery(self, scope: Scope, depth: int) -> str:
        """Return a condition with a subquery."""
        form = self.weighted((
            (3, "exists"), (1.5, "not exists"), (3, "in"), (1.5, "not in"), (1, "any"), (1, "all"),
            (1, "row"),
        ))  # fmt: skip
        self.noted("EXISTS" if "exists" in form else {"in": "IN", "not in": "NOT IN",
                   "any": "ANY", "all": "ALL", "row": "IN"}[form])  # fmt: skip
        self.monotone &= form in ("exists", "in") and self.place in ("WHERE", "ON")
        if scope.number > 1:
            self.fragile |= form not in ("exists", "in", "any", "row")
        kinds = ["int"] if "exists" in form else [self.some_kind(scope)]
        if form == "row":
            kinds = [self.some_kind(scope) for _ in range(2)]
        values = [self.value(scope, each, depth) for each in kinds]
        with self.within("the select list of a subquery", nested=True):
            inner = self.query(depth, kinds, scope).text
        if "exists" in form:
            return f"{form} ({inner})"
        if form == "row":
            return f"({', '.join(values)}) in ({inner})"
        if form in ("any", "all"):
            return f"{values[0]} {self.rng.choice(('=', '<', '>=', '<>'))} {form} ({inner})"
        return f"{values[0]} {form} ({inner})"
