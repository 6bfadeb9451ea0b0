"""The plan of a query text: the query with hidden columns, and the meaning of these columns."""

import gc
import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import duckdb
from sqlglot import exp

from provhouse.model.errors import UsageError
from provhouse.sql import dialect
from provhouse.sql.catalog import Catalog, TablePlace
from provhouse.sql.limit_clause import choices
from provhouse.sql.node_marks import RECURSION
from provhouse.sql.outputs import Output
from provhouse.sql.parse import Reference, parse
from provhouse.sql.quoting import RESERVED
from provhouse.sql.settle import settle
from provhouse.sql.unified import unify

from ..compiled.fused import Fused, Grouping, fuse
from .estimates import expected_rows
from .inject import Injected, inject
from .row_identity import Exposer, Identity, negatives
from .want import Mode
from .witness import references, with_clause


@dataclass
class Plan:
    """Everything that is computed once per SQL text, and used in each run of the query."""

    sql: str
    names: list[str]
    """The columns of the result, with the names that DuckDB gives them."""
    kinds: list[str]
    """The DuckDB types of the result's columns."""
    identity: Identity
    hidden: list[int]
    """The positions of the identity's columns in the result of ``sql``."""
    references: list[Reference]
    kept: list[tuple[str, str]]
    """The blocks to store before the first run: a temporary table's name and a query for each."""
    limited: bool
    """Whether the outermost block has a LIMIT, which leaves few of the computed rows."""
    choices: list[str]
    """The clauses that select some rows, such as "OFFSET in line 2, column 8"."""
    exposer: Exposer
    _compiled: Fused | Grouping | Literal["unknown"] | None = "unknown"
    _costs: dict[tuple[Mode, bool], float] = field(default_factory=dict)
    _grouped: int | None = None
    _injected: dict[tuple[frozenset[int], str], Injected | None] = field(default_factory=dict)

    @property
    def width(self) -> int:
        """The number of columns of the result of ``sql``."""
        return max([len(self.names), *(at + 1 for at in self.hidden)])

    def cost(self, mode: Mode, declared: bool) -> float:
        """Return the query's processor time in a mode, in seconds; 0 if unknown."""
        return self._costs.get((mode, declared), 0.0)

    def least(self, declared: bool) -> float:
        """Return the shortest processor time in any mode but compiled; infinite if unknown."""
        known = [
            cost
            for (mode, of), cost in self._costs.items()
            if of == declared and mode != "compiled"
        ]
        return min(known, default=math.inf)

    def took(self, mode: Mode, declared: bool, seconds: float) -> None:
        """Record the processor time of a run, in seconds.

        Of several runs, the shortest counts, since something else slowed the others.
        """
        self._costs[mode, declared] = min(seconds, self._costs.get((mode, declared), seconds))

    def grouped_rows(self, con: duckdb.DuckDBPyConnection) -> int:
        """Return the number of rows that DuckDB expects to group. It is estimated only once."""
        if self._grouped is None:
            self._grouped = expected_rows(con, self.sql)
        return self._grouped

    @cached_property
    def negative(self) -> frozenset[int]:
        """The positions of references in NOT EXISTS, NOT IN, ALL and on the right of EXCEPT."""
        found = negatives(self.identity)
        return frozenset(ref for query in found for ref in references(self.exposer, query))

    def injected(self, refs: frozenset[int], where: str = "") -> Injected | None:
        """Return the query with lists of the rids of ``refs``; None if they cannot be listed."""
        if (refs, where) not in self._injected:
            query = self.exposer.parsed.query
            self._injected[refs, where] = inject(query, self.identity, refs, where)
        return self._injected[refs, where]

    def named(self, name: str) -> list[int]:
        """Return the positions of the references that ``name`` denotes.

        Raises UsageError unless they are references to exactly one table.
        """
        found = self.meant(name)
        tables = {self.references[at].table for at in found}
        if len(tables) != 1:
            raise UsageError(
                f"The query reads {'several tables' if tables else 'no table'} named {name!r}",
                f"It reads {', '.join(each.name for each in self.references) or 'none'}",
                "Name one of them",
            )
        return found

    def meant(self, name: str) -> list[int]:
        """Return the positions of the references that ``name`` denotes, possibly none."""
        return [
            at
            for at, each in enumerate(self.references)
            if name.lower() == each.name.lower() or means(name, each.table)
        ]

    def declared(self, names: Sequence[str] | None) -> frozenset[int]:
        """Return the positions of the named references; if ``names`` is None, of all."""
        if names is None:
            return frozenset(range(len(self.references)))
        return frozenset(at for name in names for at in self.named(name))

    def compiled(self, con: duckdb.DuckDBPyConnection, catalog: Catalog) -> Fused | Grouping | None:
        """Return the query for compiled loops, or only its grouping if they cannot run all of it.

        Returns None if they cannot run the grouping either.
        """
        if self._compiled == "unknown":
            self._compiled = fuse(con, self.exposer.parsed, self.kinds, catalog)
        return self._compiled

    def fused(self, con: duckdb.DuckDBPyConnection, catalog: Catalog) -> Fused | None:
        """Return the query for compiled loops, or None if they cannot run all of it."""
        found = self.compiled(con, catalog)
        return found if isinstance(found, Fused) else None


def means(name: str, table: TablePlace) -> bool:
    """Return whether ``name`` refers to a table, either by its name or by schema and name."""
    return name.lower() in (table.name.lower(), f"{table.schema}.{table.name}".lower())


@contextmanager
def collector_paused() -> Iterator[None]:
    """Pause the garbage collector, which would traverse syntax trees that are still in use."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def plan(con: duckdb.DuckDBPyConnection, sql: str, catalog: Catalog) -> Plan:
    """Return the plan of a query. Raises DuckDB's own error if the query is invalid."""
    try:
        parsed = parse(con, sql, catalog)
    except Exception:
        con.sql(sql)  # raises DuckDB's own error, if it has one
        raise
    outputs = parsed.outputs or _outputs(con, sql)
    nodes = list(parsed.query.walk())
    chosen = choices(parsed.query, nodes)
    unify(con, parsed, nodes)
    exposer = Exposer(parsed)
    settle(parsed)
    kept = [_kept(exposer, *each) for each in zip(parsed.kept_names, parsed.kept, strict=True)]
    identity = exposer.expose(parsed.query, derived=False)
    hidden = _positions(parsed.query, identity, len(outputs))
    text = dialect.text(parsed.query)
    limited = parsed.query.args.get("limit") is not None
    return Plan(
        text,
        [name for name, _ in outputs],
        [kind for _, kind in outputs],
        identity,
        hidden,
        parsed.references,
        kept,
        limited,
        chosen,
        exposer,
    )


def _positions(query: exp.Query, identity: Identity, visible: int) -> list[int]:
    """Return the positions of the hidden columns; drop each that equals another column.

    DuckDB would sort and copy the values of an equal column a second time.
    """
    if not identity.names or not identity.names[0].startswith(RESERVED):
        return list(range(len(identity.names)))
    if not isinstance(query, exp.Select) or len(query.expressions) != visible + len(identity.names):
        return [visible + at for at in range(len(identity.names))]
    kept = query.expressions[:visible]
    places = {dialect.key(each.unalias()): at for at, each in reversed([*enumerate(kept)])}
    found = []
    for each in query.expressions[visible:]:
        if (value := dialect.key(each.unalias())) not in places:
            places[value] = len(kept)
            kept.append(each)
        found.append(places[value])
    query.set("expressions", kept)
    return found


def _outputs(con: duckdb.DuckDBPyConnection, sql: str) -> list[Output]:
    relation = con.sql(sql)
    return list(zip(relation.columns, map(str, relation.types), strict=True))


def _kept(exposer: Exposer, name: str, query: exp.Expr) -> tuple[str, str]:
    """Return the name and the query of a block that is to be stored."""
    if not RECURSION.on(query):
        exposer.expose(query, derived=True)
    return name, with_clause(exposer, query) + dialect.text(query)
