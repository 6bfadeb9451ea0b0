"""Write and walk the summary of one warehouse in Neo4j."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any, Literal, Self, TypeVar

import pyarrow as pa

from provhouse.model.errors import Damaged, Unavailable
from provhouse.model.fault_points import reach
from provhouse.model.progress import Progress, Stopwatch
from provhouse.model.settings import Settings
from provhouse.runtime.packages import Deferred

from . import guard
from .access import connected
from .address import Address
from .bulk import ENDS, in_tables, parameters, write_disjoint
from .driver import open_driver
from .driver_errors import translated
from .guard import CypherResult
from .importing import Import
from .module_nodes import RowList, show_modules
from .rights import ensure_constraints
from .silence import awaited
from .texts import planned_once, statement

if TYPE_CHECKING:  # importing this module takes long: it imports pyarrow
    import neo4j

    from provhouse.model.arrays import SetId
else:
    neo4j = Deferred("neo4j")

__all__ = ["CypherResult", "Graph", "shared_graph"]

BATCH = 10_000
"""The number of rows in one transaction. A server with a heap of half a gigabyte can process it."""

DEADLOCK = "Neo.TransientError.Transaction.DeadlockDetected"
REPEATS = 5
"""The maximum number of times that a statement is repeated after a deadlock.

Before each repeat, the driver has already made its own retries.
"""

CLOSE_SECONDS = 5
"""The number of seconds that ``close`` waits for the server to close the connections."""

MAX_ID = (1 << 63) - 1

T = TypeVar("T")
Rows = Iterable[Mapping[str, object]]


class Graph:
    """One warehouse's nodes and relationships, which ``docs/neo4j.md`` describes.

    ``warehouse`` is the id that every node carries. All methods raise Unavailable if the server is
    down or refuses the password. A graph is a context manager.
    """

    def __init__(self, address: Address, warehouse: str) -> None:
        self._address = address
        self.warehouse = warehouse
        self._driver: neo4j.Driver = open_driver(address)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections, without waiting for a server that no longer answers."""
        _close(self._driver).join(CLOSE_SECONDS)

    def prepare(self) -> None:
        """Create the unique, indexed keys that writing and walking need, unless they exist."""
        self._await(lambda: ensure_constraints(self._driver, self._address))

    def write(
        self, name: str, rows: "Rows | pa.Table", written: Callable[[int], object] = lambda _: None
    ) -> int:
        """Write rows with ``statements/<name>.cypher``; return their number.

        A transaction writes at most 10,000 rows; after each transaction, ``written`` is called with
        the number of its rows. Several transactions write a large table at the same time. If the
        rows are not an Arrow table, they are consumed lazily. Writing a row a second time changes
        nothing.
        """
        if isinstance(rows, pa.Table) and name in ENDS and rows.num_rows > BATCH:
            write_disjoint(name, rows, lambda part: self._write_part(name, part, written))
            return int(rows.num_rows)
        tables = [rows] if isinstance(rows, pa.Table) else in_tables(rows, BATCH)
        return sum(self._write_part(name, table, written) for table in tables)

    def _write_part(self, name: str, rows: pa.Table, written: Callable[[int], object]) -> int:
        for first in range(0, rows.num_rows, BATCH):
            batch = rows.slice(first, BATCH)
            reach("batch unwritten")
            self._run(planned_once(name), rows=parameters(batch))
            reach("batch written")
            written(batch.num_rows)
        return int(rows.num_rows)

    def fits(self, rows: int) -> bool:
        """Return whether one transaction can write this many rows."""
        return rows <= BATCH

    def write_commit(self, parts: Sequence[tuple[str, pa.Table]], commit: str) -> None:
        """Write the rows of a commit, and mark it as completely written, in one transaction.

        Each part has the name of a statement, and its rows, which are few: Neo4j ends a transaction
        only after the disk has its rows, so one transaction takes less time than one for each part.
        """

        def work(transaction: "neo4j.ManagedTransaction") -> list[Any]:
            def run(name: str, **given: object) -> None:
                transaction.run(planned_once(name), given, warehouse=self.warehouse).consume()

            for name, rows in parts:
                reach("batch unwritten")
                run(name, rows=parameters(rows))
                reach("batch written")
            reach("mark unwritten")
            run("load", commit=commit)
            return []

        self._repeated(work)
        reach("mark written")

    def delete_tables(self) -> None:
        """Delete all table nodes, so that they can be written again. Questions do not use them."""
        self._run(statement("delete_tables"))

    def delete_all(self) -> None:
        """Delete all data of this warehouse.

        The marks of commits are deleted first. So after an interruption, no commit counts as
        completely written. In that case, call this again.
        """
        self._run(statement("delete_loads"))
        for name in ("sets_pruned", "components_pruned", "generations_pruned"):
            self.remove(name, 0, MAX_ID)
        self.delete_tables()
        self._run(statement("modules_deleted"))
        self.show_revisions({})
        self.remove_views()

    def show_revisions(self, rows: Mapping[str, RowList]) -> None:
        """Replace all nodes about revisions of workflows, in one transaction.

        ``rows`` maps the name of each statement to the rows that it writes. Statements are in the
        order in which they must run.
        """

        def work(transaction: "neo4j.ManagedTransaction") -> list[Any]:
            transaction.run(statement("revisions_deleted"), warehouse=self.warehouse).consume()
            for name, listed in rows.items():
                given = {"warehouse": self.warehouse, "rows": listed}
                transaction.run(statement(name), given).consume()
            return []

        self._repeated(work)

    def remove(self, name: str, first: int, last: int) -> None:
        """Run ``statements/<name>.cypher`` until it has deleted all nodes of the given range."""
        while self._run(statement(name), first=first, last=last)[0]:
            pass

    @property
    def address(self) -> Address:
        """The address of the server."""
        return self._address

    @property
    def home(self) -> Path | None:
        """The folder with the managed server's files, or None for a server that is not managed."""
        file = self._address.password_file
        return file.parent if file and self._address.managed else None

    def answers(self) -> bool:
        """Return whether the server answers. Does not retry."""

        def work() -> None:
            with self._session() as session:
                session.run("RETURN 1").consume()

        try:
            self._await(work)
        except Unavailable:
            return False
        return True

    def write_view(self, view: str, expires: str, nodes: Rows, links: Rows) -> None:
        """Write the nodes and links of a view in one transaction.

        A view with the same id is replaced.
        """
        self.prepare()  # a database of an earlier version may lack the key of items
        named = {"view": view, "expires": expires, "warehouse": self.warehouse}

        def work(transaction: "neo4j.ManagedTransaction") -> list[Any]:
            transaction.run(statement("view_removed"), named).consume()
            transaction.run(statement("view_items"), named, rows=list(nodes)).consume()
            transaction.run(statement("view_links"), named, rows=list(links)).consume()
            return []

        self._repeated(work)

    def announce(self, generation: Mapping[str, object], modules: Mapping[str, RowList]) -> None:
        """Mark a generation as current and write its modules, in one transaction.

        ``modules`` maps the name of each statement to the rows that it writes. Statements are in
        the order in which they must run.
        """
        if modules:
            self.prepare()  # a database of an earlier version may lack their keys

        def work(transaction: "neo4j.ManagedTransaction") -> list[Any]:
            def run(name: str, **parameters: object) -> list[Any]:
                text = planned_once(name)
                return transaction.run(text, parameters, warehouse=self.warehouse).value()

            run("generation", **generation)
            show_modules(run, modules)
            return []

        self._repeated(work)

    def modules(self) -> dict[str, tuple[int | None, int | None]]:
        """Return each module in Neo4j by name, with its numbers of triples and invocations."""
        rows = self._run(statement("stored_modules"))
        return {str(name): (triples, calls) for name, triples, calls in rows}

    def generation(self) -> int | None:
        """Return the number of the generation that is marked as current in Neo4j, or None."""
        found = self._run(statement("shown_generation"))
        return int(found[0]) if found else None

    def remove_view(self, view: str) -> None:
        """Delete the view with this id."""
        self._run(statement("view_removed"), view=view)

    def remove_views(self, *, expired: bool = False) -> int:
        """Delete this warehouse's views, or only expired ones; return the number of their items."""
        until = datetime.now(UTC).isoformat() if expired else "9999"
        return int(self._run(planned_once("views_expired"), time=until)[0])

    def write_load(self, commit: str) -> None:
        """Mark a commit as completely written. Call this in the last transaction of the commit."""
        reach("mark unwritten")
        self._run(planned_once("load"), commit=commit)
        reach("mark written")

    def has_load(self, commit: str) -> bool:
        """Return whether the commit is marked as completely written."""
        return bool(self._run(planned_once("has_load"), commit=commit)[0])

    def owner(self, commits: Sequence[str]) -> str | None:
        """Return the id of a warehouse that has a Load node for one of the commits, or None.

        This may be another warehouse: a commit's random id occurs only in one warehouse and in its
        copies.
        """
        found = self._run(statement("owner"), commits=list(commits))
        return str(found[0]) if found else None

    def check_load(self, commit: str, generation: int) -> None:
        """Raise Damaged unless this generation's commit is completely written."""
        if not self.has_load(commit):
            raise Damaged(
                f"Neo4j does not have generation {generation}",
                "It has another state of this warehouse, or none",
                "If another server was used, name its folder with PROVHOUSE_NEO4J_HOME; otherwise "
                "run `provhouse check --repair`",
            )

    def closure(
        self,
        set_id: "SetId",
        direction: Literal["upstream", "downstream"],
        watch: Stopwatch | None = None,
    ) -> "list[SetId]":
        """Return the ids of a set and of all sets that a walk from it finds, in no order.

        The list is empty if the set has no node. The query runs in auto-commit mode, which takes
        one round trip instead of the three of a transaction. It does not ask for read access: in a
        cluster, a server other than the leader could then answer, and its data could lag behind.
        Raises TooSlow if the time limit of ``watch`` has passed.
        """

        def once() -> "list[SetId]":
            with self._session() as session:
                found = session.run(statement(direction), id=set_id, warehouse=self.warehouse)
                return list(found.single(strict=True)[0])

        def work() -> "list[SetId]":
            try:
                return once()
            except (neo4j.exceptions.ServiceUnavailable, neo4j.exceptions.SessionExpired):
                # the server may just have been restarted
                return once()

        return self._await(work, watch)

    def dependencies(self, first: "SetId", last: "SetId") -> "Iterator[tuple[SetId, SetId]]":
        """Return the dependencies of the sets with ids from ``first`` to ``last``.

        Each is a pair of a set and a set that it derives from.
        """
        ends = self._run(statement("stored_dependencies"), first=first, last=last)[0]
        return zip(*ends, strict=True)

    def read(self, query: str, parameters: Mapping[str, object]) -> CypherResult:
        """Run a user's Cypher without letting it change anything. ``$warehouse`` is always defined.

        Raises UsageError if the statement is invalid or does more than read.
        """
        named = {"warehouse": self.warehouse, **parameters}
        return self._await(lambda: guard.read(self._session, query, named))

    def _session(self, **access: Any) -> "neo4j.Session":
        return self._driver.session(database=self._address.database, **access)

    def _run(self, text: str, **parameters: object) -> list[Any]:
        """Run one of provhouse's own statements, and return the first column of its result."""

        def work(transaction: "neo4j.ManagedTransaction") -> list[Any]:
            return transaction.run(text, parameters, warehouse=self.warehouse).value()

        return self._repeated(work)

    def _repeated(self, work: "Callable[[neo4j.ManagedTransaction], list[Any]]") -> list[Any]:
        """Return the result of work in a transaction; repeat work that may not be committed."""

        def repeated() -> list[Any]:
            with self._session() as session:
                for _ in range(REPEATS):
                    try:
                        return session.execute_write(work)
                    except neo4j.exceptions.IncompleteCommit:
                        pass  # the server ended before or after the commit
                    except neo4j.exceptions.TransientError as error:
                        if error.code != DEADLOCK:
                            raise
                return session.execute_write(work)

        return self._await(repeated)

    def _await(self, work: Callable[[], T], watch: Stopwatch | None = None) -> T:
        """Use ``awaited`` to run work that uses the server, and return the work's result.

        If the server stops answering, later work uses new connections.
        """
        driver = self._driver

        def done() -> T:
            with translated(self._address):
                return work()

        def lost() -> None:
            if self._driver is driver:
                self._driver = open_driver(self._address)
                _close(driver)

        return awaited(done, self._address, lost, watch)


def _close(driver: "neo4j.Driver") -> Thread:
    """Close a driver in a thread, and return the thread.

    A connection that was interrupted in the middle of a message cannot be closed properly. The
    error is ignored, since the connection is no longer needed.
    """

    def close() -> None:
        with suppress(Exception):
            driver.close()

    thread = Thread(target=close, name="neo4j", daemon=True)
    thread.start()
    return thread


@contextmanager
def shared_graph(
    warehouse: str, settings: Settings, progress: Progress, first: Import | None = None
) -> Iterator[Graph]:
    """Use a warehouse's summary for the length of the block.

    The settings name the server. ``access.connected`` describes its start and its end.
    """
    with connected(settings, progress, first) as address, Graph(address, warehouse) as graph:
        graph.remove_views(expired=True)
        yield graph
