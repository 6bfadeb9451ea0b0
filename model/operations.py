"""The description of an operation: its function, and the exactness of its triples."""

from collections.abc import Iterable
from typing import Final, Literal, get_args

Function = Literal["sum", "count", "min", "max", "avg", "count_distinct", "other"]
"""The function of an operation of the kind ``aggregate``."""
Exactness = Literal["exact", "superset", "task", "absence"]
"""The exactness of an operation's triples: how they name the inputs of their dst.

``exact``: they name exactly the inputs that were used; ``superset``: they may also name inputs that
were not used; ``task``: they name all inputs of the task that made dst, whether used or not;
``absence``: dst also depends on the absence of items, which no triple can name, or on items that an
OFFSET skipped.
"""
Weakest = Literal[Exactness, "unknown"]
"""The weakest exactness on the paths in question; ``unknown`` if one of the ops declares none."""

FUNCTIONS: Final[tuple[Function, ...]] = get_args(Function)
LEVELS: Final[tuple[Exactness, ...]] = get_args(Exactness)
"""All levels of exactness, the strongest first."""
UNKNOWN_LEVEL: Final[Weakest] = "unknown"


def weakest(levels: Iterable[str]) -> Weakest | None:
    """Return the weakest level, or None without levels; ``unknown`` is weaker than all others."""
    given, weakest_first = set(levels), (UNKNOWN_LEVEL, *reversed(LEVELS))
    return next((level for level in weakest_first if level in given), None)
