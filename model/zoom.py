"""The levels of an answer, from the whole catalogue down to single records."""

from typing import Final, Literal, get_args

Level = Literal["catalogue", "module", "table", "set", "record"]
"""``catalogue``: the tables of the warehouse that an answer could have, without reading triples;
``module``: one node for each module, and one for each table between modules; ``table``: one node
for each table; ``set``: one node for each connected set; ``record``: one node for each item.
"""
LEVELS: Final[tuple[Level, ...]] = get_args(Level)
