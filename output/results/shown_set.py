"""The result of ``show set``: a connected set and its items."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..arrow_rows import tuples
from ..phrases import counted, duration
from ..sections import Section, styled
from ..shown_result import Csv, Json, ShownResult, attributes
from .derivation_list import as_of_sentence, item_table

if TYPE_CHECKING:
    from provhouse.query.listing.show_set import ShownSet

COLUMNS = ("item", "table")


@dataclass(frozen=True)
class ShownSetResult(ShownResult):
    """A set, its size and its first items."""

    found: "ShownSet"

    def text(self, timing: bool = False) -> Iterator[Section]:
        """Yield a sentence about the set, a line for each item, and the time and generation."""
        found = self.found
        yield styled(
            f"Set {found.set_id} has {counted(found.size, 'item')} and "
            f"{counted(found.triples, 'triple')}. It is part of component {found.component}.\n"
        )
        yield item_table(found.items)
        if found.truncated:
            left = found.size - found.erased - found.items.num_rows
            yield styled(f"… {left:,} more; raise --limit to see them", "dim")
        if found.erased:
            yield styled(f"{counted(found.erased, 'erased item')} without a name.", "dim")
        how = f"Found in {duration(found.seconds)}. {as_of_sentence(found)}"
        yield styled(f"\n{how}", "dim")

    def json(self) -> Iterator[Json]:
        """Yield one object, as ``schemas/set.json`` describes it."""
        found = self.found
        names = ("component", "generation", "time", "size", "erased", "triples", "truncated")
        yield {
            "set": found.set_id,
            **attributes(found, *names),
            "items": found.items.to_pylist(),
            "seconds": round(found.seconds, 6),
        }

    def csv(self) -> Csv:
        """Return a row for each item."""
        return COLUMNS, tuples(self.found.items.select(COLUMNS))
