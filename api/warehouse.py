"""Open a warehouse from a Python program, ingest files, and ask for lineage and impact."""

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

    ``settings`` are settings of ``warehouse.toml``, by name. They take precedence over that file
    and over environment variables. Raises UsageError for an unknown setting or an unusable value.
    """
    return Warehouse(Settings.load({**settings, "warehouse": Path(warehouse)}))


class Warehouse:
    """A warehouse that this process asks and writes to; use it in a ``with`` statement.

    Spark and Neo4j start when they are first needed. ``close`` releases them.

    The filters of a question are those fields of ``Question`` that have a default, such as
    ``tables`` and ``limit``. ``model/question.py`` lists the fields, and ``docs/questions.md``
    explains how filters combine. Fields with several values take any
    sequence, and ``where`` also takes a mapping.
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
        """Free the memory that questions use, and stop Neo4j unless another process uses it."""
        self._stack.close()
        self._asker = None

    def ingest(
        self,
        *files: PathLike,
        run: str | None = None,
        replace: bool = False,
        strict: bool = False,
    ) -> Summary:
        """Ingest files and folders of triples as one new generation.

        ``run`` is the name of the run that brings the files. Triples that the same run brought
        before and does not bring now end. ``replace`` starts from an empty warehouse. ``strict``
        refuses files with rows that would be rejected. Raises BadInput for an unusable file, and
        Busy while another process writes. The warehouse is unchanged after an error.
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
        """Return the ``Asker`` of the current generation; open a new one after a commit."""
        commit = current(Layout(self._settings.warehouse))
        if self._asker and commit and self._asker.snapshot.commit.commit == commit.commit:
            return self._asker
        self.close()
        self._asker = self._stack.enter_context(Asker(self._settings, Silent()))
        return self._asker


def _question(item: str, direction: Direction, filters: Mapping[str, object]) -> Question:
    """Return the question with these filters; raise UsageError for an unknown filter."""
    if unknown := sorted(filters.keys() - OPTIONAL.keys()):
        raise UsageError(
            f"There is no filter {unknown[0]!r}",
            f"The filters are {', '.join(OPTIONAL)}",
            "Correct the name or remove it",
        )
    fields: dict[str, Any] = {name: _field(name, value) for name, value in filters.items()}
    return Question(item, direction, **fields)


def _field(name: str, value: object) -> object:
    """Return a filter's value as ``Question`` has it: a list as a tuple, a mapping as pairs."""
    if not isinstance(OPTIONAL[name].default, tuple):
        return value
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise UsageError(
            f"The filter {name!r} is not a list", f"It is {value!r}", "Put a single value in a list"
        )
    return tuple(value.items() if isinstance(value, Mapping) else value)
