"""Open a warehouse from a Python program: ingest, ask for lineage and impact, retract."""

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from provhouse.cypher.graph import Graph, shared_graph
from provhouse.model.errors import UsageError
from provhouse.model.extras import require
from provhouse.model.naming import SaidNaming
from provhouse.model.paths import is_address, local_path
from provhouse.model.progress import Progress, Silent
from provhouse.model.question import AsOf
from provhouse.model.settings import Settings
from provhouse.output.questions.asking import Asking, Found, answered
from provhouse.query.lineage.ask import Asker
from provhouse.query.source_records import MOST, records
from provhouse.serve.client import Client
from provhouse.serve.server_process import await_generation
from provhouse.store.warehouse.commits import current, require_current
from provhouse.store.warehouse.layout import Layout

from .checks import check_run, key_columns
from .connection import fetch
from .reader import Reader
from .records import Records
from .results import Answer, ItemRecords

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from provhouse.care.retract import Retraction
    from provhouse.ingest.formats.spool import ArrowStream
    from provhouse.ingest.ingest_summary import Summary
    from provhouse.ingest.landing.landed import Landed
    from provhouse.workflows.adapters import Source
    from provhouse.workflows.executions import RegisteredExecution
    from provhouse.workflows.revisions import Added


PathLike = str | os.PathLike[str]


def open(warehouse: PathLike = "warehouse", **settings: object) -> "Warehouse":
    """Open the warehouse in a folder; the first ingest creates the folder.

    The warehouse's server answers questions if it is running; otherwise this process does.
    ``settings`` are settings of ``warehouse.toml``, by name. They take precedence over that file
    and over environment variables. Raises UsageError for an unknown setting or an unusable value.

    >>> with provhouse.open(folder, **settings) as opened:
    ...     answer = opened.lineage("invoices/9")
    >>> [item.item for item in answer.items]
    ['orders/17', 'orders/18', 'prices/milk', 'prices/tea']
    """
    return Warehouse(Settings.load({**settings, "warehouse": local_path(warehouse)}))


class Warehouse(Reader):
    """A warehouse in a local folder, to read and to write; use it in a ``with`` statement.

    Spark and Neo4j start when they are first needed, and stay for further questions. ``close``
    releases them.
    """

    def __init__(self, settings: Settings, progress: Progress | None = None) -> None:
        require("spark")
        self._settings = settings
        self._progress = progress or Silent()
        self._layout = Layout(settings.warehouse)
        self._asker: Asker | None = None
        self._graph: Graph | None = None
        self._stack = ExitStack()

    def close(self) -> None:
        """Free the memory that questions use, and stop Neo4j unless another process uses it.

        Spark ends with the process. The warehouse can be used again afterwards.
        """
        if self._asker:
            self._asker.close()
        self._asker = self._graph = None
        self._stack.close()

    def ask(self, asked: Asking[Found]) -> Found:
        """Ask the warehouse's server if one is running; answer in this process otherwise."""
        if client := Client.of(self._settings.warehouse):
            return fetch(client, asked)
        return answered(asked, self._layout, self.asker)

    def ingest(
        self,
        *data: "PathLike | ArrowStream | DataFrame",
        run: str | None = None,
        columns: Mapping[str, str] | None = None,
        scope: str | None = None,
        splits: PathLike | None = None,
        replace: bool = False,
        strict: bool = False,
        names: SaidNaming | None = None,
        input_format: str | None = None,
        patterns: Mapping[str, str] | None = None,
        operations: "PathLike | ArrowStream | None" = None,
        modules: PathLike | None = None,
        null: str | Collection[str] = (),
        constants: Mapping[str, str] | None = None,
    ) -> "Summary":
        """Ingest files and folders of triples, or one data frame, as one new generation.

        A data frame is of pandas, polars, pyarrow or Spark, or any object that Arrow can read.
        Instead of ``src`` and ``dst``, it may have ``src_id`` and ``dst_id``: the ids of rows of
        ``src_table`` and ``dst_table``. Row 17 of the table ``orders`` is the item ``orders/17``.
        ``run`` names the run that recorded the data. If the same run was ingested before, its
        earlier triples end unless the data contains them again. ``columns`` maps known column
        names, such as ``src``, to the names in the data. ``scope`` names a column if names are
        unique only among rows with the same value in it. ``splits`` is a file that assigns tables
        to splits. ``replace`` starts from an empty warehouse. ``strict`` refuses data with rows
        that would be rejected. ``names`` is ``"table"`` if names are unique only in their table:
        items are then named ``TABLE/NAME``. With ``"global"``, a name in two tables is one item.
        The first ingest stores this choice. ``input_format`` is one of the formats in
        ``docs/formats.md``, for files whose names do not show it. ``patterns`` maps tables to the
        names of their row ids, if not ``{table}/{id}``: for example ``{"invoices": "INV-{id}"}``. A
        table's pattern cannot change after its first use. ``operations`` is a file or a data frame
        that describes ops; ``docs/derivations.md`` explains its columns. ``modules`` is a TOML or
        JSON file that declares modules (``docs/modules.md``). If either is given, other data may be
        left out. ``null`` is a string, or several strings, that represent missing values in the
        data, such as ``"-"``. ``constants`` are values of ``src_table``, ``dst_table`` and ``op``
        that are the same in every row.

        Raises BadInput for unusable data, and for a name in two tables if ``names`` was never
        given. Raises Busy while another process writes. The warehouse is unchanged after an error.

        >>> summary = warehouse.ingest("examples/first/orders.csv")
        >>> summary.generation, summary.new_triples, summary.rejected
        (1, 6, 1)
        >>> frame = pandas.DataFrame({"src": ["orders/19"], "dst": ["invoices/10"], "op": ["bill"]})
        >>> warehouse.ingest(frame, run="by hand").new_triples
        1
        """
        from provhouse.ingest.formats.column_mapping import mapped_columns

        check_run(run)
        options = {
            "columns": mapped_columns(
                columns or {}, scope, {null} if isinstance(null, str) else null, constants or {}
            ),
            "splits": Path(splits) if splits else None,
            "run": run,
            "replace": replace,
            "strict": strict,
            "names": names,
            "operations": _operations(operations),
            "modules": None if modules is None else local_path(modules),
            "patterns": patterns or {},
            "progress": self._progress,
        }
        summary = _ingested(data, self._settings, input_format, options)
        self._settle(summary.generation)
        return summary

    def ingest_captured(
        self, folder: PathLike | None = None, keys: Mapping[str, str | Sequence[str]] | None = None
    ) -> "Landed":
        """Ingest the folder that a captured job has left, and remove the folder.

        ``folder`` may also be the value of the setting ``spark.provhouse.landing`` of jobs: a
        folder, or an address such as ``s3a://bucket/lineage``. The folders of ended jobs are first
        moved from there into the warehouse. Without ``folder``, ingest the folders of all jobs that
        have ended, oldest first. A job leaves a folder if settings of Spark captured it, if the
        ingest at its end failed, or if its driver was lost. Incomplete writes are left out, and the
        result names them. ``keys`` replace the job's keys. A job with a workflow is a revision of
        it. Raises BadInput if the lineage cannot be right, and Busy while the job still runs or
        another process writes. The folder stays after an error.

        >>> landed = warehouse.ingest_captured(left)  # a folder that `provhouse status` shows
        >>> [(write.table, write.rows) for write in landed.writes]
        [('report', 2)]
        """
        from provhouse.ingest.landing.land_left import land_left

        from .landing import registered

        place: Path | str | None = None
        if folder is not None:
            place = str(folder) if is_address(folder) else local_path(folder)
        columns = None if keys is None else key_columns(keys)
        register = partial(registered, settings=self._settings, keys=columns)
        landed = land_left(place, self._settings, self._progress, register, columns)
        if landed.generation:
            self._settle(landed.generation)
        return landed

    def _settle(self, generation: int) -> None:
        """Tidy after an ingest if the settings say so, and wait for the server."""
        from provhouse.care.tidy import tidy_after_ingest

        tidy_after_ingest(self._settings, self._progress)
        await_generation(self._settings, generation, self._progress)

    def number_files(self, *paths: PathLike) -> tuple[int, ...]:
        """Return each file's permanent number; a file without a number gets the next one.

        A path keeps its number permanently, and no other path ever gets it. A file's number and a
        row number are two integers that together identify a row. Paths may be URIs, such as
        ``s3a://bucket/a``. Raises Busy if a file is new and another process writes.

        >>> warehouse.number_files("/data/a.parquet", "/data/b.parquet", "/data/a.parquet")
        (1, 2, 1)
        """
        from provhouse.commit.number_files import number_files

        texts = [os.fspath(path) for path in paths]
        return tuple(number_files(texts, self._settings, self._progress).tolist())

    def retract(
        self,
        *items: str,
        file: PathLike | None = None,
        run: str | None = None,
        versions_before: str | None = None,
    ) -> "Retraction":
        """End triples in a new generation, so that answers no longer contain them.

        Give either items, a ``file`` (or folder), a ``run``, or ``versions_before``, which is a
        version or a time in ISO 8601. For items, all triples from or to them end. For a file or
        run, its triples end, unless another file or run asserts them too. ``versions_before`` ends
        the lineage of earlier versions of captured rows, if a later write has replaced their table
        and no remaining item derives from them. Earlier generations do not change. Raises NotFound
        if an item is not stored, or if the file or run has no triples.

        >>> done = warehouse.retract("invoices/10")
        >>> done.ended, done.triples
        (1, 5)
        """
        from provhouse.care.retract import Retracting, retract

        check_run(run)
        given = [bool(items), file is not None, run is not None, versions_before is not None]
        if given.count(True) != 1:
            raise UsageError(
                "It is not clear what to retract",
                "Of items, a file, a run and old versions, none or several are given",
                "Give exactly one of them",
            )
        path = Path(file) if file is not None else None
        selection = Retracting(path, run, items, versions_before)
        done = retract(selection, self._settings, self._progress)
        await_generation(self._settings, done.generation, self._progress)
        return done

    def add_revision(
        self,
        workflow: str,
        queries: str | Mapping[str, str],
        schema: str = "",
        *,
        source: "Source" = "sql",
    ) -> "Added":
        """Store a revision of a workflow, unless it equals the newest one.

        ``queries`` is one query, or a query for each sink. ``schema`` contains the CREATE
        statements of the tables that the queries read. ``source`` is the language of the queries.
        With "dbt", ``queries`` is the target folder of a project; with "texera", it is the text of
        a workflow. Raises BadInput if there is no plan, and Busy while another process writes.

        >>> warehouse.add_revision("sales", "select a from t", "create table t(a int)").revision
        'sales@r1'
        """
        from provhouse.workflows.add_from import add_from

        return add_from(source, workflow, queries, schema, self._settings, self._progress)

    def add_execution(
        self,
        revision: str,
        results: Mapping[str, PathLike],
        inputs: Mapping[str, str] | None = None,
        *,
        key: Sequence[str] = (),
        run: str = "",
    ) -> "RegisteredExecution":
        """Store the results that an execution of a revision has written, by sink.

        ``results`` are Parquet files or folders. ``inputs`` are the states of the tables that were
        read: ``DELTA@VERSION``, a Parquet file or folder, or ``sha256:HEX``. ``key`` are columns
        that identify a record. Raises NotFound if the revision is not stored, BadInput if files or
        inputs do not fit it, and Busy while another process writes.

        >>> added = warehouse.add_revision("one", "select 1 as a")
        >>> pyarrow.parquet.write_table(pyarrow.table({"a": [1]}), parquet)
        >>> done = warehouse.add_execution(added.revision, {"result": parquet})
        >>> warehouse.reuse(added.revision).decision
        'reuse'
        """
        from provhouse.workflows.executions import add_execution
        from provhouse.workflows.revision_names import revision_name

        files = {sink: local_path(path) for sink, path in results.items()}
        name, given = revision_name(revision), inputs or {}
        return add_execution(name, files, given, self._settings, self._progress, key=key, run=run)

    def records(self, answer: Answer, most: int = MOST) -> ItemRecords:
        """Return the rows of the first items of an answer, from the files of captured jobs.

        Only row groups with these rows are read. A file that has changed or was removed since the
        job is not read, but the result names it. A source that jobs read in several states is shown
        as the latest job read it.

        >>> answer = warehouse.lineage("revenue/2026-03", tables=["prices"])
        >>> warehouse.records(answer).tables[0].missing  # no captured job has read or written them
        ('prices/milk', 'prices/tea')
        """
        found = records(self._layout, answer._found, most)
        return ItemRecords(tables=found.tables, more=found.more, _found=found)

    def cypher(self, query: str, parameters: Mapping[str, object] | None = None) -> Records:
        """Run a read-only Cypher query in Neo4j, which stores the tables and the connected sets.

        The parameter ``$warehouse`` is always defined. ``docs/neo4j.md`` describes the nodes.
        Raises UsageError if the query is invalid or does more than read.

        >>> query = "MATCH (t:Table {warehouse: $warehouse}) RETURN t.name, t.items ORDER BY t.name"
        >>> warehouse.cypher(query).rows
        [('invoices', 2), ('orders', 2), ('prices', 2), ('revenue', 1)]
        """
        require_current(self._layout)
        found = self._neo4j().read(query, parameters or {})
        return Records(found.columns, found.rows)

    @contextmanager
    def asker(self, as_of: AsOf | None) -> Iterator[Asker]:
        """Yield an ``Asker``, which answers questions from one generation.

        The asker of the current generation stays open after the block. The asker of an earlier one
        is closed.
        """
        if as_of is None:
            yield self._current_asker()
            return
        with Asker(self._settings, self._progress, as_of) as asker:
            yield asker

    def _current_asker(self) -> Asker:
        commit = current(self._layout)
        if self._asker and commit and self._asker.snapshot.commit.commit == commit.commit:
            return self._asker
        asker = Asker(self._settings, self._progress)
        if self._asker:
            self._neo4j()  # keeps the server running while the asker is replaced
            self._asker.close()
        self._asker = asker.__enter__()
        return asker

    def _neo4j(self) -> Graph:
        """Return the connection to Neo4j, which stays open until the warehouse is closed."""
        if self._graph is None:
            warehouse = self._layout.warehouse_id()
            shared = shared_graph(warehouse, self._settings, self._progress)
            self._graph = self._stack.enter_context(shared)
        return self._graph


def _operations(given: "PathLike | ArrowStream | None") -> "Path | ArrowStream | None":
    from .frames import arrow_stream

    if given is None:
        return None
    return local_path(given) if isinstance(given, str | os.PathLike) else arrow_stream(given)


def _ingested(
    data: Sequence[object], settings: Settings, input_format: str | None, options: dict[str, Any]
) -> "Summary":
    """Ingest files, or one data frame."""
    from provhouse.ingest.from_arrow import from_arrow
    from provhouse.ingest.ingest import ingest

    from .frames import SPARK_LABEL, arrow_stream, is_spark, spark_files

    files = [local_path(one) for one in data if isinstance(one, str | os.PathLike)]
    described = options["operations"] is not None or options["modules"] is not None
    if len(files) == len(data) and (data or described):
        return ingest(files, settings, input_format=input_format, **options)
    if len(data) != 1:
        raise UsageError(
            "It is not clear what to ingest",
            "A data frame and other data are given" if data else "Nothing is given",
            "Pass paths of files, or a single data frame",
        )
    (frame,) = data
    if input_format is not None:
        found = f"input_format is {input_format!r}"
        raise UsageError("A data frame has no input format", found, "Leave it out, or pass files")
    if not is_spark(frame):
        return from_arrow(arrow_stream(frame), settings, **options)
    with spark_files(frame) as folder:
        return ingest([folder], settings, label=SPARK_LABEL, **options)
