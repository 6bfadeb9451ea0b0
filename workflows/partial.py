"""Rewrite a query to start from stored results, which replace WITH queries, subqueries and views.

A part of the text is bound separately, and replaced if a stored result has the same rows and
columns, as shown by their keys. The largest parts are tried first. The rewriting itself is not
trusted: DuckDB binds the entire new text over tables of the stored results. Then the keys of the
new text must equal those of the original query. For this comparison, the table of each stored
result is given the keys of that result.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import cast

from sqlglot import exp, parse, parse_one
from sqlglot.errors import SqlglotError

from provhouse.equivalence.empty_database import EmptyDatabase, empty_database, whole_name
from provhouse.equivalence.keys import KnownTables, PlanKeys, TableKeys, plan_keys
from provhouse.model.errors import BadInput
from provhouse.sql.quoting import text_of

from .delta_text import DIALECT
from .expression_sql import plain_type
from .parts import NotContained
from .result_files import ResultFile
from .revisions import SinkPlan

TABLE = "__provhouse_stored"
MOST_PARTS = 50
"""The maximum number of parts of one text that are bound."""


@dataclass(frozen=True)
class StoredPlan:
    """A stored result, and the plan that produced it."""

    name: str
    """The revision and the sink of the result."""
    sink: SinkPlan
    result: ResultFile
    path: str


@dataclass(frozen=True)
class Partial:
    """A query that computes a result from stored results and from the tables."""

    sql: str
    starts: tuple[StoredPlan, ...]


def partial(
    plan: SinkPlan, stored: Sequence[StoredPlan], usable: Callable[[StoredPlan], bool]
) -> Partial | None:
    """Return a query that starts from stored results with the same inputs; None if none matches.

    ``usable`` returns whether a matching result can be used.
    """
    if plan.source != "sql":
        return None
    with suppress(NotContained, BadInput, SqlglotError), empty_database(plan.ddl) as database:
        rewriting = _Rewriting(database, stored, usable, _views(plan.ddl))
        text = rewriting.whole(plan.text)
        tables = {f'"{TABLE}{at}"': each for at, each in enumerate(rewriting.starts)}
        starts = {name: each for name, each in tables.items() if name in text}
        if starts:
            _check(plan, text, starts)
            for name, each in starts.items():
                text = text.replace(name, f"read_parquet({text_of(each.path)})")
            return Partial(text, tuple(starts.values()))
    return None


class _Rewriting:
    """The rewriting of one text, part by part."""

    def __init__(
        self,
        database: EmptyDatabase,
        stored: Sequence[StoredPlan],
        usable: Callable[[StoredPlan], bool],
        views: Mapping[str, exp.Query],
    ) -> None:
        self._database, self._stored, self._usable, self._views = database, stored, usable, views
        self._left = MOST_PARTS
        self.starts: list[StoredPlan] = []

    def whole(self, text: str) -> str:
        """Return the SQL of the query, in which stored results replace parts."""
        query = parse_one(text, dialect=DIALECT)
        if not isinstance(query, exp.Query) or _is_recursive(query):
            raise NotContained
        self._inside(query, ())
        _drop_unread(query)
        return query.sql(DIALECT)

    def _inside(self, query: exp.Query, scope: tuple[exp.CTE, ...]) -> None:
        """Replace the parts of a query, given the WITH queries that are visible to them."""
        own = query.args.get("with_")
        for each in own.expressions if own else ():
            before = each.copy()
            self._replaced_in(each.this, scope)
            scope = (*scope, before)
        for part in _parts(query, own):
            if isinstance(part, exp.Table):
                self._expanded(part, scope)
            else:
                self._replaced_in(part, scope)

    def _replaced_in(self, part: exp.Query, scope: tuple[exp.CTE, ...]) -> None:
        """Replace a part by a stored result; if none matches, replace the parts inside it."""
        query = cast(exp.Query, part.unnest())
        found = self._read(query, scope)
        if found is None:
            self._inside(query, scope)
        else:
            query.replace(found)

    def _expanded(self, table: exp.Table, scope: tuple[exp.CTE, ...]) -> None:
        """Replace a view by a stored result, or by its query if parts of the query are stored."""
        view = self._views.get(_whole(table))
        if view is None or (not table.db and table.name in {each.alias for each in scope}):
            return
        before, alias = len(self.starts), table.alias or table.name
        found = self._read(
            exp.select("*").from_(exp.Table(this=table.this, db=table.args.get("db"))), ()
        )
        if found is None:
            found = view.copy()
            self._inside(found, ())
        if len(self.starts) > before:
            table.replace(found.subquery(alias))

    def _read(self, part: exp.Query, scope: tuple[exp.CTE, ...]) -> exp.Query | None:
        """Return a query that reads the rows of a part from a stored result."""
        if self._left == 0:
            return None
        self._left -= 1
        text = part.sql(DIALECT)
        if scope:
            text = f"with {', '.join(each.sql(DIALECT) for each in scope)} from ({text})"
        try:
            plan = self._database.plan(text)
        except BadInput:  # for example a correlated subquery
            return None
        keys = plan_keys(plan)
        for each in self._stored:
            columns = _columns(each, keys)
            if columns is not None and self._usable(each):
                return self._reading(each, list(zip(columns, plan.names, strict=True)))
        return None

    def _reading(self, stored: StoredPlan, columns: Sequence[tuple[str, str]]) -> exp.Query:
        if stored not in self.starts:
            self.starts.append(stored)
        listed = ", ".join(f"{whole_name((old,))} as {whole_name((new,))}" for old, new in columns)
        text = f'select {listed} from "{TABLE}{self.starts.index(stored)}"'
        return cast(exp.Query, parse_one(text, dialect=DIALECT))


def _columns(stored: StoredPlan, keys: PlanKeys) -> list[str] | None:
    """Return the stored columns that equal the columns of a query part; None if one is missing."""
    theirs = stored.sink.keys
    if theirs.rows != keys.rows:
        return None
    kept = _kept(stored)
    known = {key: name for name, key in zip(stored.result.columns, theirs.values, strict=True)
             if name in kept}  # fmt: skip
    return [known[key] for key in keys.values] if set(keys.values) <= known.keys() else None


def _kept(stored: StoredPlan) -> dict[str, str]:
    """Return the types of those columns of a result that the file stores without conversion."""
    made = zip(
        stored.result.columns, stored.sink.plan.root.columns, stored.result.types, strict=True
    )
    found: dict[str, str] = {}
    for name, column, type_ in made:
        with suppress(NotContained):
            if plain_type(column.type) == type_:
                found[name] = f"{type_}{'' if column.nullable else ' not null'}"
    return found


def _check(plan: SinkPlan, text: str, starts: Mapping[str, StoredPlan]) -> None:
    """Raise NotContained unless ``text``, over the stored results, is equal to the query."""
    known = KnownTables()
    ddl = [plan.ddl.rstrip().rstrip(";")]
    for name, each in starts.items():
        listed = ", ".join(f"{whole_name((c,))} {type_}" for c, type_ in _kept(each).items())
        ddl.append(f"create table {name}({listed})")
        values = dict(zip(each.result.columns, each.sink.keys.values, strict=True))
        table = TableKeys(each.sink.keys.rows, values)
        known.tables["memory", "main", name.strip('"')] = table
        known.forms.update(each.sink.keys.forms)
    with empty_database(";\n".join(filter(None, ddl))) as database:
        keys = plan_keys(database.plan(text), known)
    mine = plan.keys
    if keys.whole != mine.whole or keys.below(keys.whole) != mine.below(mine.whole):
        raise NotContained


def _parts(query: exp.Query, own: exp.Expr | None) -> list[exp.Query | exp.Table]:
    """Return the queries and tables directly inside a query, except in its WITH clause."""

    def ends(node: exp.Expr) -> bool:
        return node is own or (node is not query and isinstance(node, exp.Query | exp.Table))

    nodes = list(query.walk(prune=ends))
    return [each for each in nodes if each is not query and isinstance(each, exp.Query | exp.Table)]


def _drop_unread(query: exp.Query) -> None:
    """Remove the WITH queries that are no longer read after parts were replaced."""
    own = query.args.get("with_")
    for each in reversed(own.expressions) if own else ():
        if each.alias not in {table.name for table in query.find_all(exp.Table)}:
            each.pop()
    if own and not own.expressions:
        own.pop()


def _is_recursive(query: exp.Query) -> bool:
    return any(each.args.get("recursive") for each in query.find_all(exp.With))


def _views(ddl: str) -> dict[str, exp.Query]:
    """Return, by qualified name, the queries of a DDL's views that have no list of columns."""
    return {
        _whole(each.this): each.expression
        for each in parse(ddl, dialect=DIALECT)
        if isinstance(each, exp.Create) and isinstance(each.this, exp.Table)
        and isinstance(each.expression, exp.Query) and each.kind == "VIEW"
    }  # fmt: skip


def _whole(table: exp.Table) -> str:
    return ".".join(part.name for part in table.parts)
