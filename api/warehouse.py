"""A warehouse as Python programs use it: open one, take files in, ask."""

import os
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from provhouse.ingest.ingest import ingest
from provhouse.ingest.summary import Summary
from provhouse.model.answer import Answer
from provhouse.model.errors import UsageError
from provhouse.model.progress import Silent
from provhouse.model.question import OPTIONAL, Direction, Question
from provhouse.model.settings import Settings
from provhouse.query.ask import Asker
from provhouse.store.warehouse.commits import current
from provhouse.store.warehouse.layout import Layout

PathLike = str | os.PathLike[str]


def open(warehouse: PathLike, **settings: object) -> "Warehouse":
    """Open the warehouse in a folder; the first ingest creates the folder.

    ``settings`` are those of ``warehouse.toml`` by name, and win over that file and over the
    environment. Raises UsageError for an unknown setting or an unusable value.
    """
    return Warehouse(Settings.load({**settings, "warehouse": Path(warehouse)}))


class Warehouse:
    """One warehouse, asked and written to by this process; a context manager.

    Spark and Neo4j start when they are first needed. ``close`` releases them.

    The filters of a question are the fields of ``Question`` with a default, such as ``tables`` and
    ``limit``: ``model/question.py`` lists them, and ``docs/questions.md`` explains how they
    combine. Fields with several values take any sequence, and ``where`` also a mapping.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._stack = ExitStack()
        self._asker: Asker | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Release what questions keep in memory, and Neo4j unless others use it."""
        self._stack.close()
        self._asker = None

    def ingest(
        self,
        *files: PathLike,
        run: str | None = None,
        replace: bool = False,
        strict: bool = False,
    ) -> Summary:
        """Take files and folders of triples in as one new generation.

        ``run`` names what is brought: it replaces what the same run brought before. ``replace``
        starts from an empty warehouse. ``strict`` refuses files with rows that would be rejected.
        Raises BadInput for an unusable file and Busy while another writer is at work; the warehouse
        is unchanged then.
        """
        return ingest(
            [Path(file) for file in files],
            self._settings,
            run=run,
            replace=replace,
            strict=strict,
            progress=Silent(),
        )

    def lineage(self, item: str, **filters: object) -> Answer:
        """Return everything that an item was derived from, or as much as ``filters`` keep.

        Raises NotFound if the item is not stored, and UsageError for an unknown filter.
        """
        return self._answer(_question(item, "upstream", filters))

    def impact(self, item: str, **filters: object) -> Answer:
        """Return everything that was derived from an item, or as much as ``filters`` keep.

        Raises NotFound if the item is not stored, and UsageError for an unknown filter.
        """
        return self._answer(_question(item, "downstream", filters))

    def _answer(self, question: Question) -> Answer:
        if question.as_of is not None:
            with Asker(self._settings, Silent(), question.as_of) as asker:
                return asker.answer(question)
        return self._current().answer(question)

    def _current(self) -> Asker:
        """Return an asker of the current generation; open another if that has changed."""
        commit = current(Layout(self._settings.warehouse))
        if self._asker and commit and self._asker.snapshot.commit.commit == commit.commit:
            return self._asker
        self.close()
        self._asker = self._stack.enter_context(Asker(self._settings, Silent()))
        return self._asker


def _question(item: str, direction: Direction, filters: Mapping[str, object]) -> Question:
    """Return the question with these filters; raise UsageError for an unknown one."""
    if unknown := sorted(filters.keys() - OPTIONAL.keys()):
        raise UsageError(
            f"There is no filter {unknown[0]!r}",
            f"The filters are {', '.join(OPTIONAL)}",
            "Correct the name or remove it",
        )
    fields: dict[str, Any] = {name: _field(name, value) for name, value in filters.items()}
    return Question(item, direction, **fields)


def _field(name: str, value: object) -> object:
    """Return a filter as a question has it: several values as a tuple, keys and values as pairs."""
    if not isinstance(OPTIONAL[name].default, tuple):
        return value
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise UsageError(
            f"The filter {name!r} is not a list", f"It is {value!r}", "Put a single value in a list"
        )
    return tuple(value.items() if isinstance(value, Mapping) else value)
