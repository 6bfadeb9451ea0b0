"""Random SQL texts: a query, or a statement such as PIVOT that cannot be nested, and ORDER BY."""

from dataclasses import dataclass, replace

from .blocks import Blocks
from .schema import TABLES
from .scope import Column, Query, Scope


@dataclass(frozen=True)
class Text:
    """Generated SQL text, in which marks stand for uses of tables, and the facts about it.

    ``tail`` is the outermost LIMIT of the text. ``ordered`` states whether ORDER BY determines the
    order of all rows, ``single`` whether each row has only one record of each table, and
    ``monotone`` whether fewer records can never lead to additional or different rows. The other
    facts are those of ``Facts``.
    """

    body: str
    tail: str
    tags: frozenset[str]
    fragile: bool
    chooses: bool
    sure: bool
    single: bool
    monotone: bool
    ordered: bool


class Writer(Blocks):
    """A generator that creates one SQL text for each seed."""

    def text(self) -> Text:
        """Return the SQL text for the seed."""
        depth = self.rng.choice((0, 1, 1, 2, 2, 3))
        with_ = self.ahead(depth) if self.chance(0.25) else ""
        found = self._top(depth)
        body = with_ + found.text
        order, ordered = self.order(found) if found.columns and self.chance(0.4) else ("", False)
        tail = ""
        if self.chance(0.12):
            tail, more = self.limit(depth)
            self.chooses |= not ordered or more
            self.sure = False
        return Text(
            body + order,
            tail,
            frozenset(self.tags),
            self.fragile,
            self.chooses,
            self.sure,
            self.sure and not self.grouped,
            self.monotone and not tail,
            ordered,
        )

    def _top(self, depth: int) -> Query:
        choice = self.weighted((
            (10, "query"), (1, "star"), (0.35, "pivot"), (0.35, "unpivot"), (0.4, "recursive"),
            (0.3, "from first"), (0.2, "sample"), (0.3, "unnest"),
        ))  # fmt: skip
        writers = {
            "star": self.star, "pivot": self._pivot, "unpivot": self._unpivot,
            "recursive": self._recursive, "from first": self._from_first, "sample": self._sample,
            "unnest": self._unnest,
        }  # fmt: skip
        self.monotone &= choice in ("query", "star", "from first")
        return writers[choice](depth) if choice in writers else self.body(depth, None, None, True)

    def star(self, depth: int) -> Query:
        """Return a query whose select list has a star."""
        start, scope = self.sources(max(depth - 1, 0), None)
        names = [each.name.lower() for each in scope.columns]
        once = [c for c in scope.columns if c.name and names.count(c.name.lower()) == 1]
        one = self.rng.choice(once) if once else None
        choice = self.rng.choice(
            ("*", "exclude", "replace", "rename", "columns", "row", "struct", "alias")
        )
        where = self.where(scope, depth)
        columns = [
            replace(c, name=c.name if names.count(c.name.lower()) == 1 else "")
            for c in scope.columns
        ]
        self.tag(f"star: {choice}")
        if choice == "exclude" and one and len(columns) > 1:
            left = [c for c in columns if c.name.lower() != one.name.lower()]
            return Query(f"select * exclude ({one.name}) from {start}{where}", left)
        if choice == "replace" and one:
            value = self.value(scope, one.kind, 1)
            return Query(f"select * replace ({value} as {one.name}) from {start}{where}", columns)
        if choice == "rename" and one:
            left = [replace(c, name="renamed") if c.name == one.name else c for c in columns]
            return Query(f"select * rename ({one.name} as renamed) from {start}{where}", left)
        if choice == "columns":
            form = self.rng.choice(("columns(*)", "columns('.*')", "columns(c -> true)"))
            if self.chance(0.3):
                self.grouped, self.monotone = True, False
                return Query(
                    f"select max(columns(*)) from {start}{where}",
                    [Column("", c.kind) for c in columns],
                )
            return Query(f"select {form} from {start}{where}", columns)
        if choice == "row":
            self.tag("whole row as a value")
            alias = self.rng.choice(scope.rows)
            return Query(f"select {alias} as row_ from {start}{where}", [])
        if choice == "struct" and self.columns(scope, "struct"):
            return Query(
                f"select {self.column(scope, 'struct')}.* from {start}{where}",
                [Column("a", "int", "a"), Column("b", "txt", "b")],
            )
        if choice == "alias":
            alias = self.rng.choice(scope.rows)
            return Query(f"select {alias}.* from {start}{where}", [])
        return Query(f"select * from {start}{where}", columns)

    def _from_first(self, depth: int) -> Query:
        start, scope = self.sources(depth, None)
        self.tag("FROM first")
        if self.chance(0.4):
            return Query(f"from {start}{self.where(scope, depth)}", [])
        kind = self.some_kind(scope)
        value = self.value(scope, kind, depth)
        return Query(
            f"from {start} select {value} as k{self.where(scope, depth)}", [Column("k", kind, "k")]
        )

    def _sample(self, depth: int) -> Query:
        start, scope = self.sources(0, None)
        self.tag("SAMPLE", fragile=True)
        self.sure = False
        return Query(f"select * from {start} using sample 100%", list(scope.columns))

    def _unnest(self, depth: int) -> Query:
        self.tag("unnest in the select list")
        start, scope = self.sources(0, None)
        self.sure = False
        of = self.column(scope, "list")
        kind = self.some_kind(scope)
        return Query(
            f"select {self.column(scope, kind)} as k, unnest({of}) as v from {start}",
            [Column("k", kind, "k"), Column("v", "int", "v")],
        )

    def _pivot(self, depth: int) -> Query:
        self.tag("PIVOT", fragile=True)
        self.sure = False
        with self.within("PIVOT", nested=True):
            inner = self.body(max(depth - 1, 0), ["txt", "int", "int"], None, False)
        if len(inner.columns) != 3 or not all(c.name for c in inner.columns):
            return inner
        k, v, w = (c.name for c in inner.columns)
        form = self.rng.choice((
            f"pivot ({inner.text}) on {v} in (0, 1, 2) using sum({w}) group by {k}",
            f"select * from (pivot ({inner.text}) on {v} in (1, 2) using count(*), max({w}))",
            f"select * from ({inner.text}) pivot (max({w}) for {v} in (1, 2))",
            f"pivot ({inner.text}) on {v} using count(*)",
        ))  # fmt: skip
        return Query(form, [])

    def _unpivot(self, depth: int) -> Query:
        self.tag("UNPIVOT")
        self.sure = False
        with self.within("UNPIVOT", nested=True):
            inner = self.body(max(depth - 1, 0), ["txt", "int", "int"], None, False)
        if len(inner.columns) != 3 or not all(c.name for c in inner.columns):
            return inner
        _, v, w = (c.name for c in inner.columns)
        form = self.rng.choice((
            f"unpivot ({inner.text}) on {v}, {w} into name n_ value v_",
            f"select * from ({inner.text}) unpivot (v_ for n_ in ({v}, {w}))",
            f"select * from ({inner.text}) unpivot include nulls (v_ for n_ in ({v}, {w}))",
        ))  # fmt: skip
        return Query(form, [])

    def _recursive(self, depth: int) -> Query:
        self.tag("recursive WITH", fragile=True)
        self.sure = False
        union = self.rng.choice(("union", "union all"))
        with self.within("recursive WITH", nested=True):
            start, scope = self._read(union)
            first = f"select {self.column(scope, 'int')}, 0 from {start}"
            start, scope = self._read(union)
            left = self.column(scope, "int")
        step = (
            f"select {self.column(scope, 'int')}, rec.n + 1 from rec, {start} "
            f"where rec.v = {left} and rec.n < 3"
        )
        return Query(
            f"with recursive rec(v, n) as ({first} {union} {step}) select v, n from rec",
            [Column("v", "int", "v"), Column("n", "int", "n")],
        )

    def _read(self, union: str) -> tuple[str, Scope]:
        """Return the FROM text of a branch of a recursion, and its scope.

        The branch reads few rows, because UNION ALL multiplies rows.
        """
        if union == "union":
            return self.sources(0, None)
        one = self._object(self.rng.choice(TABLES[:4]), set())
        return one.text, Scope(one.scope(), None, None, (one.alias,), number=1)
