"""The generations of a warehouse, the newest last."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from ..layout import Section, grid
from ..result import Csv, Json, Result

if TYPE_CHECKING:
    from provhouse.query.generations import Generation

_NEW = ("new triples", "new items", "rejected", "ended")
_HELD = ("triples", "items", "base")


@dataclass(frozen=True)
class GenerationsResult(Result):
    """When each came, by what, what it brought and what it holds."""

    generations: "Sequence[Generation]"
    listed = True

    def text(self, timing: bool = False) -> Iterator[Section]:
        """A row for each."""
        table = grid("generation", "time", "change", right=(*_NEW, *_HELD))
        for one in self.generations:
            table.add_row(*_row(one))
        yield table

    def json(self) -> Iterator[Json]:
        """An object for each; see ``schemas/generations.json``."""
        return map(asdict, self.generations)

    def csv(self) -> Csv:
        """A row for each."""
        rows = list(self.json())
        return tuple(rows[0]), (tuple(row.values()) for row in rows)


def _row(one: "Generation") -> Iterator[str]:
    yield f"{one.generation} (current)" if one.current else f"{one.generation}"
    yield one.time.replace("+00:00", "Z")
    yield _change(one)
    for name in _NEW:
        count = getattr(one, name.replace(" ", "_"))
        yield f"{count:,}" if count else "-"
    for name in _HELD:
        yield f"{getattr(one, name):,}"


def _change(one: "Generation") -> str:
    if one.change != "rollback":
        return one.change
    if one.back_to is None:
        return "rollback to a pruned one"
    return f"rollback to {one.back_to}" if one.back_to else "rollback to nothing"
