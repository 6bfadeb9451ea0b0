"""The list of generations, newest last."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from ..sections import Section, grid, styled
from ..shown_result import Csv, Json, ShownResult

if TYPE_CHECKING:
    from provhouse.query.listing.generations import Generation

_NEW = ("new triples", "new items", "rejected", "ended")
_STORED = ("triples", "items")


@dataclass(frozen=True)
class GenerationsResult(ShownResult):
    """The time, the change and the contents of each generation."""

    generations: "Sequence[Generation]"
    listed = True

    def text(self, timing: bool = False) -> Iterator[Section]:
        """Yield a table with a row for each generation, and the current generation.

        Counts that are 0 for all generations are left out, so that the others fit into 80 columns.
        """
        new = [name for name in _NEW if any(_count(one, name) for one in self.generations)]
        right = [name.replace(" ", "\n") for name in (*new, *_STORED)]
        table = grid("number", "time", "change", right=right)
        table.padding = (0, 1, 0, 0)
        for one in self.generations:
            table.add_row(*_row(one, new))
        yield table
        current = [one.generation for one in self.generations if one.current]
        yield from (styled(f"Generation {number:,} is current.", "dim") for number in current)

    def json(self) -> Iterator[Json]:
        """Yield an object for each generation; see ``schemas/generations.json``."""
        return map(asdict, self.generations)

    def csv(self) -> Csv:
        """Return a row for each generation."""
        rows = list(self.json())
        return tuple(rows[0]), (tuple(row.values()) for row in rows)


def _count(one: "Generation", name: str) -> int:
    return int(getattr(one, name.replace(" ", "_")))


def _row(one: "Generation", new: Sequence[str]) -> Iterator[str]:
    yield f"{one.generation}"
    yield one.time.replace("+00:00", "Z").replace("T", " ")
    yield _change(one)
    for name in new:
        yield f"{count:,}" if (count := _count(one, name)) else "-"
    for name in _STORED:
        yield f"{getattr(one, name):,}"


def _change(one: "Generation") -> str:
    if one.change != "rollback":
        return one.change
    if one.back_to is None:
        return "rollback to a pruned generation"
    return f"rollback to {one.back_to}" if one.back_to else "rollback to empty"
