"""Expand ``*``, COLUMNS and joins with USING, as DuckDB does when it binds a block.

Each block gets explicit columns before its names are qualified. A USING column is the column of the
left side; in a RIGHT JOIN, the column of the right side; in a FULL JOIN, the first value that is
not NULL.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import duckdb
from sqlglot import exp

from . import dialect, scoped
from .blocks import is_parenthesised_join, named, own
from .ctes import cte_of
from .not_covered import NotCovered, refuse

Columns = Callable[[exp.Table], list[str]]
"""A function that returns the columns of a table, or an empty list if the table is unknown."""


@dataclass
class Shared:
    """A column into which USING merges several columns; ``value`` is its expression."""

    name: str
    members: set[str]
    """The lower-case aliases of the sources of the merged columns."""
    value: exp.Expr


@dataclass
class Scope:
    """The sources of a block in the order of their joins, with their columns."""

    columns: dict[str, list[str]] = field(default_factory=dict)
    """The columns of each source, by the source's alias as written."""
    known: bool = True
    """Whether the columns of all sources are known."""
    shared: list[Shared] = field(default_factory=list)

    def share(self, name: str, aliases: set[str]) -> Shared | None:
        """Return the shared column ``name`` of any of the sources ``aliases``, or None."""
        for each in self.shared:
            if each.name.lower() == name.lower() and each.members & aliases:
                return each
        return None


def spell_out(tree: exp.Expr, columns: Columns, con: duckdb.DuckDBPyConnection) -> None:
    """Replace stars, COLUMNS and USING in all blocks of a query; DuckDB then resolves the names."""
    speller = Speller(columns, con)
    for select in list(tree.find_all(exp.Select)):
        speller.block(select)


class Speller:
    """A rewriter that expands blocks, each after the blocks whose columns it needs."""

    def __init__(self, columns: Columns, con: duckdb.DuckDBPyConnection) -> None:
        self._tables, self._con = columns, con
        self._done: set[int] = set()

    def output(self, query: exp.Expr) -> list[str]:
        """Return the column names of a query, and give names to its unnamed columns."""
        while isinstance(query, exp.Subquery):
            query = query.this
        if isinstance(query, exp.SetOperation):
            return [] if query.args.get("by_name") else self.output(query.left)
        if not isinstance(query, exp.Select):
            return []
        self.block(query)
        if any(map(_several, query.expressions)):
            return []
        names: list[str] = []
        for at, found in enumerate(self._names(query)):
            each = query.expressions[at]
            name = _free(found or f"_col_{at}", names)
            if name != found or not isinstance(each, (exp.Alias, exp.Column)):
                value = each.this if isinstance(each, exp.Alias) else each
                each.replace(named(value.copy(), name))
            names.append(name)
        return names

    def _names(self, query: exp.Select) -> list[str]:
        """Return the column names of a block, with "" for a name that DuckDB cannot return."""
        found = [
            each.alias_or_name if isinstance(each, (exp.Alias, exp.Column)) else ""
            for each in query.expressions
        ]
        if all(found):
            return found
        try:
            asked = scoped.columns(
                self._con, query, f"FROM ({dialect.text_with_pivots(query)})", "a query"
            )
        except NotCovered:  # it refers to the query around it
            return found
        return asked if len(asked) == len(found) else found

    def block(self, select: exp.Select) -> None:
        """Expand one block, unless this has already been done."""
        if id(select) in self._done:
            return
        self._done.add(id(select))
        scope = Scope()
        if (start := select.args.get("from_")) is not None:
            self._add(scope, start.this)
        left = {alias.lower() for alias in scope.columns}
        for join in select.args.get("joins") or []:
            comma = not any(map(join.args.get, ("kind", "side", "method", "on", "using")))
            added = self._join(scope, join, left)
            left = added if comma else left | added  # a comma binds less than a join
        if any(map(_several, select.expressions)) and scope.known:
            items = [item for each in select.expressions for item in self._items(scope, each)]
            select.set("expressions", items)
        if scope.shared:
            _unqualified(select, scope)

    def _add(self, scope: Scope, item: exp.Expr) -> set[str]:
        """Add an item of FROM and the joins that it contains; return the aliases of its sources."""
        if is_parenthesised_join(item) and not item.alias:
            added = self._add(scope, item.this)
        else:
            found = self._columns(item)
            scope.known = scope.known and bool(found) and item.alias_or_name not in scope.columns
            scope.columns[item.alias_or_name] = found
            added = {item.alias_or_name.lower()}
        for join in item.args.get("joins") or []:
            added |= self._join(scope, join, added)
        return added

    def _join(self, scope: Scope, join: exp.Join, left: set[str]) -> set[str]:
        """Add the right side of a join to the sources of the left side; return the new aliases."""
        right = self._add(scope, join.this)
        if join.method == "NATURAL":
            join.set("using", [exp.to_identifier(each) for each in _common(scope, left, right)])
            join.set("method", None)
        if using := join.args.get("using"):
            conditions = [_equal(scope, join, each.name, left, right) for each in using]
            if (join.method or "").upper() == "ASOF":
                last = conditions[-1]
                conditions[-1] = exp.GTE(this=last.this, expression=last.expression)
            join.set("using", None)
            join.set("on", exp.and_(*conditions, copy=False))
        if (join.args.get("kind") or "").upper() in ("SEMI", "ANTI"):
            self._without_given(join)
            for alias in [each for each in scope.columns if each.lower() in right]:
                del scope.columns[alias]
        return right

    def _without_given(self, join: exp.Join) -> None:
        """In ON, replace an alias's column names, unknown to sqlglot, by the table's own names."""
        table, on = join.this, join.args.get("on")
        alias = table.args.get("alias")
        if on is None or not isinstance(table, exp.Table) or alias is None or not alias.columns:
            return
        cte = cte_of(table)
        own_names = self.output_of(cte) if cte else self._tables(table)
        names = {
            given.name.lower(): name for given, name in zip(alias.columns, own_names, strict=False)
        }
        for column in on.find_all(exp.Column):
            name = names.get(column.name.lower())
            if name is not None and column.table.lower() == table.alias.lower():
                column.set("this", exp.to_identifier(name, quoted=True))
        alias.set("columns", None)

    def _items(self, scope: Scope, item: exp.Expr) -> list[exp.Expr]:
        """Return the items that an item of SELECT represents."""
        found = list(_columns_in(item))
        if not found:
            return _item(scope, item)
        if len({each.sql("duckdb") for each in found}) > 1 or "\\" in item.alias:
            return [item]
        return [_instead(item, column) for column in self._listed(scope, found[0])]

    def _listed(self, scope: Scope, columns: exp.Anonymous) -> list[exp.Expr]:
        """Return the columns that COLUMNS(...) represents, each with its name."""
        (what,) = columns.expressions
        if what.is_star:
            return _item(scope, what)
        every = _item(scope, exp.Star())
        names = {each.alias.lower(): each.alias for each in every}
        cells = exp.select(*(exp.alias_(exp.null(), each, quoted=True) for each in names.values()))
        text = f"SELECT {columns.sql('duckdb')} FROM ({cells.sql('duckdb')})"
        chosen = {each.lower() for each in scoped.columns(self._con, columns, text, "COLUMNS")}
        return [each for each in every if each.alias.lower() in chosen]

    def _columns(self, item: exp.Expr) -> list[str]:
        alias = item.args.get("alias")
        given = [each.name for each in alias.columns] if isinstance(alias, exp.TableAlias) else []
        found: list[str] = []
        if isinstance(item, exp.Table) and isinstance(item.this, exp.Identifier):
            cte = cte_of(item)
            found = self.output_of(cte) if cte else self._tables(item)
        elif isinstance(item, exp.Subquery):
            found = self.output(item.this)
        elif isinstance(item, exp.Values):
            first = item.expressions[0]
            found = [f"col{at}" for at, _ in enumerate(first.expressions or [first])]
        elif given:
            return given
        return [*given, *found[len(given) :]]

    def output_of(self, cte: exp.CTE) -> list[str]:
        """Return the names of the columns of a WITH query."""
        alias = cte.args.get("alias")
        given = [each.name for each in alias.columns] if alias is not None else []
        return [*given, *self.output(cte.this)[len(given) :]]


def _common(scope: Scope, left: set[str], right: set[str]) -> list[str]:
    """Return the names of the columns that both sides of a join have, in the left side's order."""
    sides = [
        [name.lower() for alias, names in scope.columns.items() if alias.lower() in side
         for name in names]
        for side in (left, right)
    ]  # fmt: skip
    return list(dict.fromkeys(name for name in sides[0] if name in sides[1]))


def _free(name: str, taken: list[str]) -> str:
    """Return the name that DuckDB gives a derived table's column so that it is not in ``taken``."""
    found, number = name, 0
    while found.lower() in map(str.lower, taken):
        number += 1
        found = f"{name}_{number}"
    return found


def _equal(scope: Scope, join: exp.Join, name: str, left: set[str], right: set[str]) -> exp.Binary:
    """Return the join condition for one column of USING, and record the shared column."""
    one, other = _side(scope, join, name, left), _side(scope, join, name, right)
    side = (join.side or "").upper()
    value = other.value if side == "RIGHT" else one.value
    if side == "FULL":
        first, *rest = [*_members(one.value), *_members(other.value)]
        value = exp.Coalesce(this=first, expressions=rest)
    scope.shared = [each for each in scope.shared if each is not one and each is not other]
    scope.shared.append(Shared(name, one.members | other.members, value))
    return exp.EQ(this=one.value.copy(), expression=other.value.copy())


def _members(value: exp.Expr) -> list[exp.Expr]:
    parts = [value.this, *value.expressions] if isinstance(value, exp.Coalesce) else [value]
    return [part.copy() for part in parts]


def _side(scope: Scope, join: exp.Join, name: str, aliases: set[str]) -> Shared:
    if (found := scope.share(name, aliases)) is not None:
        return found
    for alias, columns in scope.columns.items():
        if alias.lower() in aliases and name.lower() in map(str.lower, columns):
            return Shared(name, {alias.lower()}, exp.column(name, alias, quoted=True))
    refuse(f"USING ({name}) of a table with unknown columns", join)


def _columns_in(item: exp.Expr) -> Iterator[exp.Anonymous]:
    return (each for each in own(item, exp.Anonymous) if each.name.lower() == "columns")


def _several(item: exp.Expr) -> bool:
    """Return whether an item of SELECT can represent several columns."""
    return item.is_star or next(_columns_in(item), None) is not None


def _instead(item: exp.Expr, column: exp.Expr) -> exp.Expr:
    """Return an item of SELECT in which a column and its name replace COLUMNS(...)."""
    holder = exp.Paren(this=item.unalias().copy())
    for each in list(_columns_in(holder)):
        each.replace(column.unalias().copy())
    return named(holder.this, item.alias or column.alias)


def _item(scope: Scope, item: exp.Expr) -> list[exp.Expr]:
    """Return the columns that an item of SELECT represents."""
    if isinstance(item, exp.Star):
        return _changed(item, _all(scope))
    if not isinstance(item, exp.Column) or not isinstance(item.this, exp.Star):
        return [item]
    table = item.table.lower()
    found = next((each for each in scope.columns if each.lower() == table), None)
    if found is None:
        return [item]
    return _changed(item.this, [_plain(found, name) for name in scope.columns[found]])


def _plain(alias: str, name: str) -> tuple[str, exp.Expr]:
    return name, exp.column(name, alias, quoted=True)


def _all(scope: Scope) -> list[tuple[str, exp.Expr]]:
    found: list[tuple[str, exp.Expr]] = []
    seen: list[Shared] = []
    for alias, names in scope.columns.items():
        for name in names:
            shared = scope.share(name, {alias.lower()})
            if shared is None:
                found.append(_plain(alias, name))
            elif shared not in seen:
                seen.append(shared)
                found.append((name, shared.value.copy()))
    return found


def _changed(star: exp.Star, columns: list[tuple[str, exp.Expr]]) -> list[exp.Expr]:
    """Apply EXCLUDE, REPLACE and RENAME to the columns of a star."""
    without = {each.name.lower() for each in star.args.get("except_") or []}
    instead = {each.alias.lower(): each.this for each in star.args.get("replace") or []}
    renamed = {each.this.name.lower(): each.alias for each in star.args.get("rename") or []}
    found: list[exp.Expr] = []
    for name, value in columns:
        lower = name.lower()
        if lower in without:
            continue
        used = instead[lower].copy() if lower in instead else value
        found.append(named(used, renamed.get(lower, name)))
    return found


def _unqualified(select: exp.Select, scope: Scope) -> None:
    """Replace unqualified names of shared columns in a block by the columns' expressions."""
    aliases = {each.alias.lower() for each in select.expressions if isinstance(each, exp.Alias)}
    for column in list(select.find_all(exp.Column)):
        if column.table or isinstance(column.this, exp.Star):
            continue
        shared = [each for each in scope.shared if each.name.lower() == column.name.lower()]
        if not shared or column.find_ancestor(exp.Select) is not select:
            continue
        ordered = column.find_ancestor(exp.Order, exp.Select) is not select
        if ordered and column.name.lower() in aliases:
            continue
        value = shared[0].value.copy()
        top = column.parent is select and column.arg_key == "expressions"
        column.replace(named(value, column.name) if top else value)
