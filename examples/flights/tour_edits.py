"""The SQL part of the tour: explore a query on the pipeline's result, and edit the query."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import clicks
import duckdb
import pyarrow as pa
from guide import Guide

import provhouse
from provhouse import interactive
from provhouse.equivalence.verdict import ComparedQuery, compare
from provhouse.model.progress import Silent
from provhouse.model.settings import Settings
from provhouse.workflows.rerun import rerun
from provhouse.workflows.reuse_search import Reuse

SELECT = "select carrier, origin, count(*) as flights, sum(dep_delay)::bigint as delay"
LATE = f"""{SELECT}
from departures where dep_delay > 0 and origin in ('EWR', 'JFK')
group by carrier, origin"""
TIDIED = f"""with late as (
    select * from departures d where d.origin in ('EWR', 'JFK') and d.dep_delay > 0
)
{SELECT} from late group by carrier, origin"""
MOVED = f"""{SELECT}
from departures where dep_delay > 0
group by carrier, origin having origin = 'EWR' or origin = 'JFK'"""
TIGHTER = f"{LATE} having count(*) >= 20"
WIDER = f"{SELECT}\nfrom departures where dep_delay > 0\ngroup by carrier, origin"
COLUMN = LATE.replace("as delay", "as delay, max(dep_delay) as worst")
SEATS = LATE.replace("\ngroup", " and (seats < 150 or seats >= 150)\ngroup")
AIRPORTS = f"""with late as (
{LATE}
)
select origin, sum(flights)::bigint as flights, max(delay) as most from late group by origin"""
CORRECTED = "case when carrier = 'HA' then dep_delay + 5 else dep_delay end as dep_delay"
USED = ("carrier", "origin", "flights", "delay")


def explored(
    guide: Guide, warehouse: provhouse.Warehouse, data: Path, house: Path, settings: dict[str, Any]
) -> None:
    """Follow a line of a query's result to its flights, and on to the raw rows."""
    with guide.step("A query in DuckDB, explored interactively"):
        con = clicks.opened(data, warehouse)
        guide.code(*clicks.DELAYS.strip().splitlines())
        report = con.sql(clicks.DELAYS, lineage=True)
        line = report.to_arrow().slice(0, 1).to_pylist()[0]
        flights = report.backward("departures", rows=[0])
        counted = con.duckdb.sql(f"from departures where carrier = '{line['carrier']}'")
        guide.shows(
            f"{line['carrier']} is late by {line['delay']} minutes on average. A click finds its"
            f" {len(flights):,} flights.",
            len(flights) == line["flights"] == len(counted),
        )
        names = {"departures": "item"}
        report.save(house, table="delays", key="carrier", names=names, **settings)
        guide.prompt(f"lineage delays/{line['carrier']} --tables flights")
        raw = warehouse.lineage(f"delays/{line['carrier']}", tables=["flights"]).items
        ids = {each.item.partition("/")[2] for each in raw}
        guide.shows(
            "Saved to the warehouse, the lineage goes on through Spark's to the raw rows.",
            ids == {row[0] for row in counted.select("id").fetchall()},
        )


def edited(guide: Guide, warehouse: provhouse.Warehouse, data: Path, house: Path) -> None:
    """Edit a query nine times."""
    query = _Query(guide, warehouse, data, house)
    query.first()
    query.reused("tidied up", TIDIED, "key", "The plan has the same key")
    query.reused(
        "a condition moved below the group", MOVED, "proof", "A solver proves the same rows"
    )
    query.parted("tighter", TIGHTER, "filter", "It is a filter of the stored result")
    query.parted("wider", WIDER, "delta", "It is the stored result, and a query for what it lacks")
    query.column()
    query.different()
    query.parted("a step on top", AIRPORTS, "partial", "It starts at the stored result")
    query.data()
    query.session()


class _Query:
    """Makes edits of a workflow that consists of one query on the table ``departures``."""

    def __init__(
        self, guide: Guide, warehouse: provhouse.Warehouse, data: Path, house: Path
    ) -> None:
        self._guide, self._warehouse = guide, warehouse
        self._folder, self._house = data, house
        self._inputs = {"departures": str(data / "tables" / "departures")}
        with self._opened(self._inputs) as con:
            columns = con.sql("select column_name || ' ' || column_type from (describe departures)")
            listed = ", ".join(row[0] for row in columns.fetchall())
        self._ddl = f"create table departures({listed})"

    def first(self) -> None:
        """Store the query and its result."""
        with self._guide.step("A query for the late flights, and its result"):
            self._guide.prompt("revisions add late late.sql --schema tables.sql")
            name = self._added(LATE)
            self._guide.prompt(
                f"revisions run {name} result=late.parquet --inputs departures=FOLDER"
            )
            self._executed(name, LATE)

    def reused(self, title: str, text: str, by: str, claim: str) -> None:
        """Make an edit that does not change the result, so that the stored file can be reused."""
        with self._guide.edit(title):
            found = self._asked(text)
            self._same(f"{claim}, so nothing is executed.", text, f"from '{found.path}'",
                       (found.decision, found.by) == ("reuse", by))  # fmt: skip

    def parted(self, title: str, text: str, decision: str, claim: str) -> None:
        """Make an edit after which the new result is computed from the stored result."""
        workflow = "airports" if decision == "partial" else "late"
        with self._guide.edit(title):
            found = self._asked(text, workflow=workflow)
            more = f" union all ({found.delta})" if found.delta else ""
            self._same(f"{claim}.", text, f"({found.sql}){more}", found.decision == decision)

    def column(self) -> None:
        """Add a column, which does not affect programs that read only the other columns."""
        with self._guide.edit("one more column"):
            found = self._asked(COLUMN, columns=USED)
            ours = f"select {', '.join(USED)} from '{found.path}'"
            self._same(
                "Who reads the four old columns keeps the stored result.",
                f"select {', '.join(USED)} from ({COLUMN})", ours, found.by == "columns",
            )  # fmt: skip

    def different(self) -> None:
        """Make an edit that looks harmless, execute the query, and compare the records."""
        with self._guide.edit("a condition that seems to be always true"):
            found = self._asked(SEATS)
            verdict = compare(ComparedQuery(LATE, self._ddl), ComparedQuery(SEATS, self._ddl))
            assert verdict.example
            self._guide.shows(
                f"It must be executed. First difference: {found.operator}. An example with rows"
                " shows it: the seats of a plane may be unknown.",
                (found.decision, verdict.kind) == ("build", "different"),
            )
            self._executed(found.revision, SEATS)
            self._guide.prompt(f"revisions diff late@r1 {found.revision} --records")
            results = self._warehouse.diff_revisions(
                "late@r1", found.revision, records=True, key=("carrier", "origin")
            ).results
            assert results
            changes = self._rows(self._inputs, f"from ({LATE}) except from ({SEATS})")
            self._guide.shows(
                f"{results.changed + results.went} records differ, all because of the code.",
                results.changed + results.went == len(changes) > 0
                and {each.cause for each in results.records} == {"code"},
            )

    def data(self) -> None:
        """Change records of the input instead of the query."""
        with self._guide.edit("not of the code: an airline corrects its delays"):
            place = self._folder / "corrected.parquet"
            with self._opened(self._inputs) as con:
                con.execute(f"copy (select * replace ({CORRECTED}) from departures) to '{place}'")
            inputs = {"departures": str(place)}
            self._guide.prompt(
                f"revisions rerun late@r1 new.parquet --inputs departures={place.name}"
            )
            new, settings = self._folder / "new.parquet", Settings.load({"warehouse": self._house})
            found = rerun("late@r1", "result", new, inputs, settings, Silent())
            self._guide.shows(
                f"{found.computed} of {found.kept + found.computed} records are computed again.",
                self._rows(inputs, f"from '{new}'") == self._rows(inputs, LATE)
                and 0 < found.computed < found.kept,
            )

    def session(self) -> None:
        """Edit the query in a session: change it, and then undo the change."""
        with self._guide.edit("back and forth in one session"):
            con = interactive.connect()
            files = f"{self._inputs['departures']}/*.parquet"
            con.execute(f"create table departures as from '{files}'")
            edits = con.edits()
            texts = (LATE, TIGHTER, LATE, WIDER)
            found = [edits.sql(text) for text in texts]
            ways = [each.by for each in found]
            self._guide.shows(
                f"Tightened, undone, widened: {', '.join(ways[1:])}.",
                ways == ["computed", "filter", "key", "delta"]
                and all(_listed(each.rows) == self._rows(self._inputs, text)
                        for text, each in zip(texts, found, strict=True)),
            )  # fmt: skip

    def _asked(self, text: str, columns: Sequence[str] = (), workflow: str = "late") -> Reuse:
        """Store an edit, and return whether its result is known."""
        self._guide.code(*text.splitlines())
        name = self._added(text, workflow)
        used = f" --columns {','.join(columns)}" if columns else ""
        self._guide.prompt(f"reuse {name}{used}")
        return self._warehouse.reuse(name, columns=columns, inputs=self._inputs)

    def _added(self, text: str, workflow: str = "late") -> str:
        return self._warehouse.add_revision(workflow, text, self._ddl).revision

    def _executed(self, name: str, text: str) -> None:
        """Execute a query in DuckDB, as a user would, and store its result."""
        place = self._folder / "result.parquet"
        with self._opened(self._inputs) as con:
            con.execute(f"copy ({text}) to '{place}'")
        self._warehouse.add_execution(name, {"result": place}, self._inputs)

    def _same(self, claim: str, text: str, ours: str, holds: bool) -> None:
        """Check a decision, and compare the reused rows with those of the complete query."""
        rows = self._rows(self._inputs, ours)
        same = holds and rows == self._rows(self._inputs, text)
        self._guide.shows(f"{claim} The {len(rows)} rows are those of the whole query.", same)

    def _rows(self, inputs: dict[str, str], query: str) -> list[str]:
        with self._opened(inputs) as con:
            return sorted(map(str, con.execute(query).fetchall()))

    def _opened(self, inputs: dict[str, str]) -> duckdb.DuckDBPyConnection:
        """Return a database with the pinned departures."""
        con = duckdb.connect()
        for name, place in inputs.items():
            files = f"{place}/*.parquet" if Path(place).is_dir() else place
            con.execute(f"create view {name} as from '{files}'")
        return con


def _listed(rows: pa.Table) -> list[str]:
    return sorted(str(tuple(row.values())) for row in rows.to_pylist())
