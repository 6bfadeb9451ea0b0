"""The description of an operation: its function, and how exact the triples are that it records."""

from collections.abc import Iterable
from typing import Final, Literal, get_args

Function = Literal["sum", "count", "min", "max", "avg", "count_distinct", "other"]
"""The function of an operation of the kind ``aggregate``."""
Exactness = Literal["exact", "superset", "task", "absence"]
"""The exactness with which the triples of an operation name what their dst was derived from.

``exact``: they name exactly the inputs that were used; ``superset``: they may also name inputs that
were not used; ``task``: they name all inputs of the task that made dst, whichever were used;
``absence``: dst also depends on the absence of items, which no triple can name, or on items that an
OFFSET has passed over.
"""
Weakest = Literal[Exactness, "unknown"]
"""The weakest exactness on some paths; ``unknown`` if it is not declared for one of the ops."""

FUNCTIONS: Final[tuple[Function, ...]] = get_args(Function)
LEVELS: Final[tuple[Exactness, ...]] = get_args(Exactness)
"""All levels of exactness, the strongest first."""
UNKNOWN_LEVEL: Final[Weakest] = "unknown"


def weakest(levels: Iterable[str]) -> Weakest | None:
    """Return the weakest of some levels, of which ``unknown`` is the weakest; None without any."""
    given, weakest_first = set(levels), (UNKNOWN_LEVEL, *reversed(LEVELS))
    return next((level for level in weakest_first if level in given), None)
