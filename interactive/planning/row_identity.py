"""Identities of rows: the hidden columns of a block, from which the lineage of its rows follows.

``Exposer`` adds hidden columns to each block of a query: the row ids of the tables that the block
reads, the keys of its groups, and the values on which its subqueries depend. From these columns,
``follow`` finds the rows from which a row of the block was made. This is the which-lineage of Cui
and Widom (2000), for each reference to a table. The rules for each operator are in
docs/interactive.md.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from typing import Literal

from sqlglot import exp

from provhouse.sql import blocks, dialect
from provhouse.sql import node_marks as marks
from provhouse.sql.blocks import named
from provhouse.sql.not_covered import LOAD, refuse
from provhouse.sql.parse import Parsed
from provhouse.sql.recursion import NUMBER, Recursion, everything, sources
from provhouse.sql.subqueries import (
    ending_roots,
    outer_columns,
    output_roots,
    row_roots,
    subqueries,
)
from provhouse.sql.union_columns import HIDDEN, as_select, branches, leaves, leftmost, spread

from ..index.rid_indexes import Link
from .witness import Witness, comparable, core, matching, partition, same_rows, subquery

Expected = Literal["", "some", "counted"]


@dataclass
class Base:
    """Records of a base table, identified by the rids in one hidden column."""

    ref: int
    column: int


@dataclass
class Derived:
    """Rows of another block, identified by several hidden columns."""

    identity: "Identity"
    columns: list[int]


@dataclass
class UnionBranch:
    """Rows of one UNION ALL branch: the rows whose column ``tag`` contains the branch's number."""

    identity: "Identity"
    columns: list[int]
    tag: int
    number: int


@dataclass
class WitnessQuestion:
    """The rows that a witness query finds from the values of the given hidden columns.

    ``expects`` states how many rows must be found: at least one (``some``), as many as the group
    has rows (``counted``), or any number. ``otherwise`` is the question to ask for the block's rows
    for which this query finds nothing.
    """

    witness: Witness
    columns: list[int]
    expects: Expected = ""
    otherwise: "WitnessQuestion | None" = None
    keyed: bool = False
    """Whether distinct rows of the block always differ in these columns.

    If so, the rows need not be compared to find equal ones.
    """


@dataclass
class GroupIdentity:
    """The rows of a group, in a block whose groups use different sets of keys (GROUPING SETS).

    The column ``grouping`` has a bit for each key, the highest bit for the first key. A bit is 1 if
    the group does not use the key.
    """

    build: Callable[[list[int]], WitnessQuestion]
    keys: int
    grouping: int
    _witnesses: dict[int, WitnessQuestion] = field(default_factory=dict)

    def asked(self, mask: int) -> WitnessQuestion:
        """Return the question for groups whose ``grouping`` column is ``mask``."""
        if mask not in self._witnesses:
            used = [at for at in range(self.keys) if not mask >> (self.keys - 1 - at) & 1]
            self._witnesses[mask] = self.build(used)
        return self._witnesses[mask]


@dataclass
class Recursive:
    """Stored rows of a recursive query, whose row numbers are in a hidden column.

    The questions in ``asked`` contain the number of a stored row, and find the rows from which the
    two branches made it. If the recursion is not linear, each question in ``asked`` finds all
    records of one table instead.
    """

    recursion: Recursion
    column: int
    asked: list[WitnessQuestion]
    parents: Link | None = field(default=None, repr=False)
    """The link from each stored row to those it was derived from in the previous step; lazy."""


Part = Base | Derived | UnionBranch | WitnessQuestion | GroupIdentity | Recursive


@dataclass
class Identity:
    """The meaning of a block's hidden columns, which are numbered from 0.

    ``outer`` maps names to the columns of enclosing blocks that the block refers to. Their values
    are the first hidden columns; ``names`` lists the names of the others.

    ``present`` is a column that is NULL where an outer join found no row. ``count`` is a column
    with the number of rows in the group, which is also the number of witnesses that must be found.
    ``negative`` lists the subqueries that must return no matching row for a row to appear.
    """

    outer: dict[str, exp.Expr] = field(default_factory=dict)
    names: list[str] = field(default_factory=list)
    parts: list[Part] = field(default_factory=list)
    present: int | None = None
    count: int | None = None
    negative: list[exp.Expr] = field(default_factory=list)


def negatives(identity: Identity) -> list[exp.Expr]:
    """Return the ``negative`` subqueries of a block and of all blocks below it."""
    found = list(identity.negative)
    for part in identity.parts:
        if isinstance(part, GroupIdentity):
            found += negatives(part.asked(0).witness.identity)
        elif isinstance(part, WitnessQuestion):
            found += negatives(part.witness.identity)
        elif isinstance(part, Recursive):
            found += [each for asked in part.asked for each in negatives(asked.witness.identity)]
        elif not isinstance(part, Base):
            found += negatives(part.identity)
    return found


class Exposer:
    """The rewriter that adds hidden columns to the blocks of one query."""

    def __init__(self, parsed: Parsed) -> None:
        self.parsed = parsed
        self._known: list[Identity] = []
        self._names = count()

    def outer(self, query: exp.Expr) -> dict[str, exp.Expr]:
        """Return the columns in a query that belong to enclosing blocks, by name."""
        names: dict[str, str] = {}
        found: dict[str, exp.Expr] = {}
        for column in outer_columns(query):
            if not marks.OUTER_NAME.on(column):
                text = dialect.key(column)
                if text not in names:
                    names[text] = f"o{next(self._names)}"
                marks.OUTER_NAME.put(column, names[text])
            found.setdefault(marks.OUTER_NAME.of(column), column)
        return found

    def expose(self, query: exp.Expr, derived: bool) -> Identity:
        """Add hidden columns to a query, unless it has them, and return their meaning."""
        query = blocks.unwrapped(query)
        if marks.EXPOSED.on(query):
            at: int = marks.EXPOSED.of(query)
            return self._known[at]
        if isinstance(query, exp.Select):
            marks.VISIBLE.put(query, len(query.expressions))
            identity = self._select(query, derived)
        elif isinstance(query, exp.SetOperation):
            identity = self._set_operation(query, derived)
        else:
            refuse(type(query).__name__.upper(), query)
        marks.EXPOSED.put(query, len(self._known))
        self._known.append(identity)
        return identity

    def _select(self, select: exp.Select, derived: bool) -> Identity:
        distinct = select.args.get("distinct")
        if distinct is not None and not distinct.args.get("on"):
            return self._equal(select, [select], derived)
        columns = HiddenColumns(select, self.outer(select))
        if blocks.is_grouped(select):
            self._group(select, columns)
        else:
            for source in blocks.sources(select):
                self._source(source, columns)
            self._subqueries(row_roots(select), columns)
        self._subqueries(output_roots(select, marks.VISIBLE.of(select)), columns)
        for window in blocks.windows(select):
            keys = window.args.get("partition_by") or []
            at = [columns.add(key) for key in keys]
            witness = partition(self, select, keys, columns.identity.outer)
            columns.ask(witness, at, "some")
        if derived and columns.identity.count is not None:
            columns.identity.present = columns.identity.count
        elif derived and not all(isinstance(part, Base) for part in columns.identity.parts):
            columns.identity.present = columns.add(exp.true())
        return columns.identity

    def _source(self, source: exp.Expr, columns: "HiddenColumns") -> None:
        name = source.alias_or_name
        if isinstance(source, exp.Table) and marks.REF.on(source):
            at = columns.add(exp.column("rowid", name, quoted=True))
            columns.identity.parts.append(Base(marks.REF.of(source), at))
        elif isinstance(source, exp.Table) and marks.CTE.on(source):
            self._derived(self.parsed.ctes[marks.CTE.of(source)].this, name, columns)
        elif isinstance(source, exp.Subquery):
            if isinstance(blocks.unwrapped(source), exp.Values):
                return
            self._derived(source.this, name, columns)
        elif isinstance(source, exp.Table) and marks.ITSELF.on(source):
            at = columns.add(exp.column(NUMBER, name, quoted=True))
            columns.identity.parts.append(Base(marks.ITSELF.of(source), at))
        elif isinstance(source, exp.Table) and marks.RECURSION.on(source):
            at = columns.add(exp.column(NUMBER, name, quoted=True))
            recursion = self.parsed.recursions[marks.RECURSION.of(source)]
            asked = self._recursion(recursion)
            columns.identity.parts.append(Recursive(recursion, at, asked))
        elif isinstance(source, exp.Table) and marks.KEPT_AT.on(source):
            self._derived(self.parsed.kept[marks.KEPT_AT.of(source)], name, columns)
        elif marks.STORED.on(source):
            return
        elif not isinstance(source, (exp.Unnest, exp.Values)) and not generates(source):
            if isinstance(source, exp.Table):
                refuse(f"{source.this.sql('duckdb')} in FROM", source, LOAD)
            refuse(f"{type(source).__name__} in FROM", source)

    def _derived(self, query: exp.Expr, name: str, columns: "HiddenColumns") -> None:
        identity = self.expose(query, derived=True)
        at = [columns.outer(*each) for each in identity.outer.items()]
        at += [columns.add(exp.column(each, name, quoted=True)) for each in identity.names]
        columns.identity.parts.append(Derived(identity, at))

    def _recursion(self, recursion: Recursion) -> list[WitnessQuestion]:
        """Return the questions for the rows of both branches; for all records if not linear."""
        if not recursion.linear:
            found = everything(recursion, self.parsed.ctes, self.parsed.kept)
            return [WitnessQuestion(matching(self, each, 0), []) for each in found]
        return [WitnessQuestion(matching(self, sources(recursion), 1), [0], "some")]

    def _subqueries(self, roots: list[exp.Expr], columns: "HiddenColumns") -> None:
        for each in subqueries(roots):
            if each.negative:
                columns.identity.negative.append(each.node)
                continue
            if not comparable(each):
                columns.ask(subquery(self, each, False), [])
                continue
            at = [columns.add(column) for column in each.left]
            asked = columns.ask(subquery(self, each, True), at)
            if each.valued:
                asked.otherwise = columns.asked(subquery(self, each, False), [])

    def _group(self, select: exp.Select, columns: "HiddenColumns") -> None:
        keys = blocks.group_keys(select)
        at = [columns.add(key) for key in keys.expressions]
        if keys.sets:

            def build(used: list[int]) -> WitnessQuestion:
                chosen = [keys.expressions[each] for each in used]
                witness = core(self, select, chosen, columns.identity.outer)
                return columns.asked(witness, [at[each] for each in used], "counted")

            mask = columns.add(exp.Anonymous(this="GROUPING", expressions=keys.expressions))
            columns.identity.parts.append(GroupIdentity(build, len(at), mask))
        else:
            witness = core(self, select, keys.expressions, columns.identity.outer)
            columns.ask(witness, at, "counted").keyed = True
        columns.identity.count = columns.add(exp.Count(this=exp.Star()))

    def _equal(self, query: exp.Query, witnesses: list[exp.Expr], derived: bool) -> Identity:
        """Return the identity of rows that each stand for all rows with their visible values."""
        leaf = leftmost(query)
        identity = Identity(self.outer(query), [each.alias_or_name for each in leaf.expressions])
        around = {name: at for at, name in enumerate(identity.outer)}
        at = list(range(len(around), len(around) + len(identity.names)))
        expects: Literal["", "some"] = "" if isinstance(query, exp.Union) else "some"
        for each in witnesses:
            witness = same_rows(self, each)
            given = [around[name] for name in witness.outer]
            keyed = bool(query.args.get("distinct"))
            identity.parts.append(WitnessQuestion(witness, [*at, *given], expects, keyed=keyed))
        self._ending(query, identity)
        if derived:
            identity.present = len(around) + len(identity.names)
            identity.names.append(f"{HIDDEN}p")
            for each in leaves(query):
                each.append("expressions", exp.alias_(exp.true(), f"{HIDDEN}p", quoted=True))
        return identity

    def _ending(self, query: exp.Query, identity: Identity) -> None:
        """Add questions for subqueries in ORDER BY and LIMIT of a DISTINCT or a set operation."""
        for each in subqueries(ending_roots(query)):
            witness = subquery(self, each, False)
            if witness.outer:
                refuse(
                    "a correlated subquery in ORDER BY of DISTINCT or a set operation", each.node
                )
            identity.parts.append(WitnessQuestion(witness, []))

    def _set_operation(self, query: exp.SetOperation, derived: bool) -> Identity:
        if query.args.get("by_name"):
            refuse("BY NAME", query)
        for each in leaves(query):
            marks.VISIBLE.keep(each, len(each.expressions))
        if isinstance(query, exp.Union) and not query.args.get("distinct"):
            identity = self._union_all(query)
            self._ending(query, identity)
            return identity
        kept = [query.left] if isinstance(query, exp.Except) else [query.left, query.right]
        identity = self._equal(query, [blocks.unwrapped(each) for each in kept], derived)
        if isinstance(query, exp.Except):
            identity.negative.append(query.right)
        return identity

    def _union_all(self, query: exp.SetOperation) -> Identity:
        """Add separate hidden columns for each branch, which are NULL in the other branches."""
        identity = Identity(self.outer(query), [f"{HIDDEN}0"])
        around = {name: at for at, name in enumerate(identity.outer)}
        found = [as_select(branch) for branch in branches(query)]
        places = []
        for number, branch in enumerate(found):
            inner = self.expose(branch, derived=False)
            at = list(range(len(identity.names), len(identity.names) + len(inner.names)))
            identity.names += [f"{HIDDEN}{column}" for column in at]
            columns = [around[name] for name in inner.outer] + [len(around) + each for each in at]
            identity.parts.append(UnionBranch(inner, columns, len(around), number))
            places.append(at)
        for number, branch in enumerate(found):
            spread(branch, number, places)
        return identity


class HiddenColumns:
    """The hidden columns of a block. Equal expressions share one column."""

    def __init__(self, select: exp.Select, outer: dict[str, exp.Expr]) -> None:
        self._select = select
        self._outer = {name: at for at, name in enumerate(outer)}
        self._at: dict[str, int] = {}
        self.identity = Identity(outer)

    def add(self, expression: exp.Expr) -> int:
        """Return the number of the hidden column for ``expression``; add it if it is missing."""
        if (name := marks.OUTER_NAME.get(expression)) in self._outer:
            return self._outer[name]
        text = dialect.key(expression)
        if text not in self._at:
            name = f"{HIDDEN}{len(self._at)}"
            self._at[text] = len(self._outer) + len(self.identity.names)
            self.identity.names.append(name)
            self._select.append("expressions", named(expression.copy(), name))
        return self._at[text]

    def outer(self, name: str, column: exp.Expr) -> int:
        """Return the number of the column to which an inner query refers as ``name``."""
        return self._outer[name] if name in self._outer else self.add(column)

    def asked(
        self, witness: Witness, columns: list[int], expects: Expected = ""
    ) -> WitnessQuestion:
        """Return the question that asks a witness query about the values of ``columns``."""
        given = [self.outer(*each) for each in witness.outer.items()]
        return WitnessQuestion(witness, [*columns, *given], expects)

    def ask(self, witness: Witness, columns: list[int], expects: Expected = "") -> WitnessQuestion:
        """Make a question as ``asked`` does, add it to the block's identity, and return it."""
        found = self.asked(witness, columns, expects)
        self.identity.parts.append(found)
        return found


def generates(source: exp.Expr) -> bool:
    """Return whether a source generates rows, which therefore have no lineage."""
    if not isinstance(source, exp.Table) or not isinstance(source.this, exp.Func):
        return False
    return isinstance(source.this, exp.GenerateSeries) or source.this.name.lower() in (
        "range", "generate_series", "unnest",
    )  # fmt: skip
