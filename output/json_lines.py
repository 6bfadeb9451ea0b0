"""JSON lines: rows one by one, for what reads large answers as they come."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from itertools import chain
from typing import TYPE_CHECKING

from .json import JsonOutput, tail

if TYPE_CHECKING:
    from provhouse.model.answer import Answer
    from provhouse.query.generations import Generation
    from provhouse.query.path import Path


class JsonLinesOutput(JsonOutput):
    """An answer is a line ``{"answer": …}`` with all but its rows, then a line for each of these.

    What has no rows is one line, as in JSON.
    """

    def generations(self, generations: "Sequence[Generation]") -> None:
        """One object a generation."""
        for one in generations:
            self._line(asdict(one))

    def rows(self, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
        """One object a row."""
        for row in rows:
            self._line(dict(zip(columns, row, strict=True)))

    def _listed(self, head: dict[str, object], rows: "Answer | Path") -> None:
        from .json_rows import items, triples

        self._line({"answer": {**head, **tail(rows)}})
        for piece in chain(items(rows.items, "\n"), triples(rows.triples, "\n")):
            self._write(piece + "\n")
