"""Splits of tables, as arrays with the split that each table is in at each nesting level."""

from collections.abc import Iterable, Iterator, Sequence, Set

import numpy as np

from provhouse.model.arrays import I32

Split = Sequence["str | Split"]


def tables_of(splits: Iterable["str | Split"]) -> Iterator[str]:
    """Yield the name of every table in the splits."""
    for part in splits:
        if isinstance(part, str):
            yield part
        else:
            yield from tables_of(part)


def restricted(splits: Sequence[Split], tables: Set[str]) -> list[Split]:
    """Return the splits with only the tables in ``tables``, and without empty splits."""
    kept: list[Split] = []
    for split in splits:
        texts = [part for part in split if isinstance(part, str) and part in tables]
        nested = restricted([part for part in split if not isinstance(part, str)], tables)
        if texts or nested:
            kept.append([*texts, *nested])
    return kept


def split_codes(splits: Sequence[Split], tables: Sequence[str]) -> list[I32]:
    """Return, for each nesting level, the number of the split that each table is in.

    A table gets -1 at a level where it is not in any split.
    """
    code = {table: number for number, table in enumerate(tables)}
    levels: list[I32] = []
    groups: list[Split] = list(splits)
    while groups:
        level = np.full(len(tables), -1, np.int32)
        for number, group in enumerate(groups):
            level[[code[t] for t in tables_of(group)]] = number
        levels.append(level)
        groups = [part for group in groups for part in group if not isinstance(part, str)]
    return levels
