"""A question about the lineage or impact of an item, with filters for the answer."""

from dataclasses import MISSING, dataclass, field, fields
from typing import Literal

Direction = Literal["upstream", "downstream"]
Method = Literal["auto", "rq", "ccprov", "csprov"]
AsOf = int | str
"""The number of a generation, or a time in ISO 8601."""


def _option(meaning: str, at_least: int | None = None) -> dict[str, str | int | None]:
    """Return the metadata of an optional field."""
    return {"help": meaning, "at_least": at_least}


@dataclass(frozen=True)
class Question:
    """A question about one item; every field with a default is optional.

    The server's parameters and the filters of Python programs follow from these fields: from
    their types, defaults and metadata. In the metadata, ``help`` is a line of help text, and
    ``at_least`` is the smallest number allowed. To add a filter, add its field here, its effect to
    ``query/lineage/row_filters.py``, and its option to ``cli/filter_options.py``.
    ``docs/questions.md`` explains each filter.
    """

    item: str
    direction: Direction
    method: Method = field(
        default="auto", metadata=_option("How to search; all methods give the same answer")
    )
    depth: int | None = field(default=None, metadata=_option("At most this many hops away", 1))
    through: str | None = field(
        default=None, metadata=_option("Only paths that pass an item of this table")
    )
    tables: tuple[str, ...] = field(default=(), metadata=_option("Only items of these tables"))
    ops: tuple[str, ...] = field(default=(), metadata=_option("Only triples with one of these ops"))
    where: tuple[tuple[str, str], ...] = field(
        default=(), metadata=_option("Only triples with these attributes")
    )
    ends: bool = field(default=False, metadata=_option("Only items at which all paths end"))
    limit: int | None = field(
        default=None, metadata=_option("At most this many items, the nearest", 1)
    )
    summary: bool = field(default=False, metadata=_option("Counts instead of items and triples"))
    sets: bool = field(
        default=False, metadata=_option("Also the id of the connected set of each item")
    )
    all_versions: bool = field(
        default=False,
        metadata=_option("Ask about all versions of the item, instead of the newest"),
    )
    as_of: AsOf | None = field(
        default=None,
        metadata=_option(
            "A generation number or a time in ISO 8601; by default the current generation"
        ),
    )

    @property
    def filtered(self) -> bool:
        """Whether the answer contains only a part of the rows found, or counts of them."""
        return self.looks_at_triples or self.summary or self.limit is not None

    @property
    def filter_tables(self) -> tuple[str, ...]:
        """The tables that the filters name; an empty name stands for items that have no table."""
        return self.tables if self.through is None else (*self.tables, self.through)

    @property
    def looks_at_triples(self) -> bool:
        """Whether a filter needs to see each triple found."""
        return bool(self.through is not None or self.tables or self.ops or self.where or self.ends)


OPTIONAL = {each.name: each for each in fields(Question) if each.default is not MISSING}
"""The optional fields of a question, by name."""
