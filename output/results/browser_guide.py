"""The results of ``browser`` without an item: how to open Neo4j Browser, and what was removed."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..phrases import counted
from ..sections import Section, facts, styled, unbroken
from ..shown_result import Csv, Json, ShownResult, one_row

if TYPE_CHECKING:
    from provhouse.cypher.guide import BrowserQuery


@dataclass(frozen=True)
class BrowserGuideResult(ShownResult):
    """Browser's address, how to log in, and queries on the data of this warehouse."""

    url: str
    connect: str
    database: str
    user: str
    password_file: str
    stop: str
    """The command that stops the server; empty if provhouse does not manage it."""
    queries: "Sequence[BrowserQuery]"
    empty: "Sequence[BrowserQuery]"
    """The queries that would have no results in this warehouse."""

    def text(self, timing: bool = False) -> Iterator[Section]:
        """Yield the address and the login, then the queries to paste."""
        named = {
            "Neo4j Browser": self.url,
            "Connect URL": self.connect,
            "Database": self.database,
            "Username": self.user,
            "Password": f"in {self.password_file}" if self.password_file else "",
            "Stop": self.stop,
        }
        for name, value in named.items():
            if value:
                yield unbroken(f"{name:15}{value}")
        yield styled("\nQueries to paste:")
        for query in self.queries:
            yield unbroken(f"\n{query.text.strip()}")
        if self.empty:
            yield styled("\nOther queries show nothing in this warehouse:")
        for query in self.empty:
            yield styled(f"{query.title}: {query.why_empty}")

    def json(self) -> Iterator[Json]:
        """Yield one object, as ``schemas/browser.json`` describes it."""
        rows = [{"title": each.title, "query": each.text.strip()} for each in self.queries]
        empty = [{"title": each.title, "why": each.why_empty} for each in self.empty]
        yield {**self._login(), "queries": rows, "empty": empty}

    def csv(self) -> Csv:
        """Return a row for each query that has results."""
        return ("title", "query"), ((each.title, each.text.strip()) for each in self.queries)

    def _login(self) -> dict[str, object]:
        names = ("url", "connect", "database", "user", "password_file", "stop")
        return {name: getattr(self, name) or None for name in names}


@dataclass(frozen=True)
class ViewsRemovedResult(ShownResult):
    """The number of nodes that ``browser --clear`` removed."""

    removed: int

    def text(self, timing: bool = False) -> Iterator[Section]:
        """Yield the number."""
        yield facts([("removed", f"{counted(self.removed, 'node')} from Neo4j")])

    def json(self) -> Iterator[Json]:
        """Yield one object, as ``schemas/browser-cleared.json`` describes it."""
        yield {"removed": self.removed}

    def csv(self) -> Csv:
        """Return one row."""
        return one_row({"removed": self.removed})
