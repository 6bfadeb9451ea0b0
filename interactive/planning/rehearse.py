"""Try a plan's witness queries before its query runs, so that unsupported lineage is refused early.

All witness queries are built, and DuckDB binds them as one SQL text without running them. Each
reference must either be reached by a witness query, or be one that must not match, for example
below NOT EXISTS. Otherwise the lineage in this reference would silently be empty.
"""

from collections.abc import Collection, Sequence

import duckdb

from provhouse.sql.collations import collations
from provhouse.sql.not_covered import REWRITE, NotCovered
from provhouse.sql.quoting import RESERVED, quoted
from provhouse.sql.recursion import NUMBER

from .plan import Plan
from .row_identity import (
    Base,
    Derived,
    GroupIdentity,
    Identity,
    Recursive,
    UnionBranch,
    WitnessQuestion,
)
from .witness import ASKED, Witness, references


class Rehearsal:
    """The witness queries of a plan, as parts of one SQL text that is only bound, not run."""

    def __init__(self, con: duckdb.DuckDBPyConnection, plan: Plan) -> None:
        self._con = con
        self._exposer = plan.exposer
        self.names = [f"c{at}" for at in range(plan.width)]
        self._kept = [f"{quoted(name)} AS ({query})" for name, query in plan.kept]
        self._parts = {"w": f"w({', '.join(self.names)}) AS ({plan.sql})"}
        self._sources: dict[str, str] = {}
        """The witness queries that DuckDB may refuse, each with the source that it asks about."""
        self._seen: set[int] = set()
        self.reached: set[int] = set()
        """The references that lineage reaches, and the references that must not match."""

    def block(self, identity: Identity, source: str, columns: Sequence[str]) -> None:
        """Add a block's witness queries; ``columns`` of ``source`` are its hidden columns."""
        for node in identity.negative:
            self.reached |= references(self._exposer, node)
        for part in identity.parts:
            if isinstance(part, Base):
                self.reached.add(part.ref)
            elif isinstance(part, (Derived, UnionBranch)):
                self.block(part.identity, source, [columns[at] for at in part.columns])
            elif isinstance(part, GroupIdentity):
                self._ask(part.asked(0), source, columns)
            elif isinstance(part, Recursive):
                for each in part.asked:
                    self._ask(each, quoted(part.recursion.name), [NUMBER])
            else:
                self._ask(part, source, columns)

    def _ask(self, part: WitnessQuestion, source: str, columns: Sequence[str]) -> None:
        witness = part.witness
        if id(witness) in self._seen:
            return
        self._seen.add(id(witness))
        if witness.certain:
            self.reached |= witness.refs
            return
        name = f"w{len(self._parts)}"
        identity = witness.identity
        names = [f"h{at}" for at in range(len(identity.outer) + len(identity.names))]
        if witness.sure and not self._exposer.parsed.collated:
            text = witness.rows()
        else:
            text = self._asking(witness, source, [columns[at] for at in part.columns])
            self._sources[name] = source
        self._parts[name] = f"{name}({', '.join(['eid', *names])}) AS ({text})"
        self.block(identity, name, names)
        if part.otherwise is not None:
            self._ask(part.otherwise, source, columns)

    def _asking(self, witness: Witness, source: str, columns: Sequence[str]) -> str:
        if self._exposer.parsed.collated and columns:
            listed = ", ".join(map(quoted, columns))
            clause = self._with(self._parts)
            witness.collations = collations(self._con, f"{clause} SELECT {listed} FROM {source}")
        return _asking(witness, source, columns)

    def _with(self, names: Collection[str]) -> str:
        return f"WITH {', '.join([*self._kept, *(self._parts[name] for name in names)])}"

    @property
    def text(self) -> str:
        """One SQL text with all witness queries that DuckDB may refuse; empty if there are none."""
        if not self._sources:
            return ""
        used = {*self._sources, *self._sources.values()}
        read = " UNION ALL ".join(f"SELECT eid FROM {name}" for name in self._sources)
        return f"{self._with([name for name in self._parts if name in used])} {read}"


def _asking(witness: Witness, source: str, columns: Sequence[str]) -> str:
    """Return the SQL of a witness query that asks about all rows of ``source``."""
    cells = [f"{quoted(column)} AS c{at}" for at, column in enumerate(columns)]
    asked = f"{ASKED} AS (SELECT {', '.join([*cells, '0 AS eid'])} FROM {source})"
    text = witness.sql(frozenset())
    if text.startswith("WITH "):
        return f"WITH {asked}, {text.removeprefix('WITH ')}"
    return f"WITH {asked} {text}"


def rehearse(con: duckdb.DuckDBPyConnection, plan: Plan, bind: bool = True) -> None:
    """Raise NotCovered unless the lineage of all references of a plan can be found.

    If not ``bind``, DuckDB may still refuse a witness query when the query runs.
    """
    rehearsal = Rehearsal(con, plan)
    rehearsal.block(plan.identity, "w", [rehearsal.names[at] for at in plan.hidden])
    for at, reference in enumerate(plan.references):
        if at not in rehearsal.reached:
            raise NotCovered(
                f"Lineage of this use of {reference.name} is not supported",
                f"It is {reference.where}" if reference.where else "",
                REWRITE,
            )
    try:
        if bind and rehearsal.text:
            con.sql(rehearsal.text)
    except duckdb.Error as error:
        reason = f": {str(error).partition(chr(10))[0]}"
        raise NotCovered(
            "The lineage of this query is not supported",
            "DuckDB cannot run the query that finds the "
            f"lineage{'' if RESERVED in reason else reason}",
            REWRITE,
        ) from None
