"""The edits of a session as revisions of a workflow, with their executions and results.

The rows of an edit were computed already, so an edit that cannot be stored only causes a warning.
"""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from provhouse.commit.single_writer import only_writer
from provhouse.model.errors import BadInput, ProvhouseError
from provhouse.model.progress import Silent
from provhouse.model.settings import Settings
from provhouse.runtime.files import make_folder
from provhouse.sql.catalog import TablePlace
from provhouse.sql.quoting import quoted
from provhouse.store.warehouse.layout import Layout
from provhouse.workflows.changed_settings import changed_settings
from provhouse.workflows.executions import (
    Execution,
    add_executions,
    add_result,
    new_execution,
)
from provhouse.workflows.pinned_data import scans_of
from provhouse.workflows.pinned_inputs import InputPin, TablePath, pinned
from provhouse.workflows.revision_names import check_workflow, revision_name
from provhouse.workflows.revisions import SinkPlan, store_revision
from provhouse.workflows.table_pins import table_place, table_state

if TYPE_CHECKING:
    from .duckdb_session import Connection

SINK = "result"


class EditRevisions:
    """The workflow that the edits of one session belong to."""

    def __init__(self, con: "Connection", workflow: str, settings: Settings) -> None:
        check_workflow(workflow)
        self._con, self._workflow, self._settings = con, workflow, settings
        self._layout = Layout(settings.warehouse)
        self._pins: dict[TablePath, InputPin] = {}
        self._executions: dict[int, str] = {}
        """The executions that are stored, by the number of the edit."""

    def forget(self) -> None:
        """Forget the states of all tables, since one may have changed."""
        self._pins.clear()

    def add(
        self, plan: SinkPlan | BadInput, rows: pa.Table, number: int, of: int, started: str
    ) -> str:
        """Store an edit as a revision, with its execution; return the revision's name.

        ``plan`` may be the reason why the edit has none, and ``of`` is the earlier edit whose
        result was used. If something cannot be stored, warn; the name is empty if the edit is not a
        revision.
        """
        revision = ""
        try:
            if isinstance(plan, BadInput):
                raise plan
            self._check_settings()
            with only_writer(self._settings, Silent()):
                added = store_revision(self._workflow, {SINK: plan}, self._settings, Silent())
                revision = added.revision
                execution = Execution(
                    execution=new_execution(), revision=revision_name(revision), sink=SINK,
                    inputs=tuple(map(self._pin, scans_of(plan.plan))),
                    result=self._stored(plan, rows), started=started,
                    reused_from=self._executions.get(of, ""),
                )  # fmt: skip
                add_executions(self._layout, [execution])
            self._executions[number] = execution.execution
        except ProvhouseError as error:
            what = "has no stored result" if revision else f"is not a revision of {self._workflow}"
            warnings.warn(f"The edit {what}. {error}", stacklevel=4)
        return revision

    def _check_settings(self) -> None:
        """Raise BadInput if a setting that may change rows is not DuckDB's default."""
        if changed := changed_settings(self._con.duckdb):
            raise BadInput(
                f"The setting {changed[0]} of the connection was changed",
                "A revision is a query under DuckDB's default settings",
                "Connect again without it",
            )

    def _stored(self, plan: SinkPlan, rows: pa.Table) -> str:
        with self._aside() as path:
            try:
                pq.write_table(rows, path)
            except (pa.ArrowException, OSError) as error:
                raise BadInput("Cannot write the rows to Parquet", str(error)) from error
            return add_result(self._layout, [path], plan, plan.identifying)

    @contextmanager
    def _aside(self) -> Iterator[Path]:
        make_folder(self._layout.staging)
        path = self._layout.staging / f"edit-{new_execution()}.parquet"
        try:
            yield path
        finally:
            path.unlink(missing_ok=True)

    def _pin(self, table: TablePath) -> InputPin:
        """Return the state of a table, which is determined once until a table changes."""
        if table not in self._pins:
            (current,) = self._con.duckdb.execute("select current_database()").fetchall()
            database = table[0] if table[0] == "temp" else current[0]
            self._pins[table] = self._state(TablePlace(database, *table[1:]), table[-1])
        return self._pins[table]

    def _state(self, place: TablePlace, name: str) -> InputPin:
        """Return a pin of the file that a table was read from, of its database, or of its rows.

        A file is pinned only if its rows are those of the table.
        """
        con, state = self._con.duckdb, table_state(self._con.duckdb, place.sql())
        source = self._con.source(place)
        if source and source.path.endswith(".parquet") and Path(source.path).is_file():
            (pin,) = pinned({name: source.path})
            with duckdb.connect() as own:
                own.read_parquet(source.path).create_view("file")
                if table_state(own, "file") == state and pinned({name: source.path}) == (pin,):
                    return pin
        found = con.execute(PATH, [place.database]).fetchall()
        if found and found[0][0]:
            inside = f"{quoted(place.schema)}.{quoted(place.name)}"
            return InputPin(name, "table", table_place(Path(found[0][0]), inside), state)
        return InputPin(name, "digest", "", state)


PATH = "select path from duckdb_databases() where database_name = ?"
