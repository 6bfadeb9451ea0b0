"""Splits: which tables are cut from which (CSProv, section IV), given by a person or found.

A splits file is a small TOML, one split a line: its tables, or its sub-splits, each again a list.

    sources = ["raw", "weather"]
    curated = [["cleaned", "joined"], ["daily", "monthly"]]

Where no file is given, sets are found without splits: see ``search``.
"""

import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np

from provhouse.model.arrays import I32
from provhouse.model.errors import BadInput

Split = Sequence["str | Split"]


def read_splits(path: Path) -> list[Split]:
    """The splits of a file, in its order; raises BadInput, naming the file and what is wrong."""
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadInput(
            f"A splits file should be at {path}", f"It cannot be read: {error.strerror}"
        ) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadInput(f"{path} should be TOML, one split a line", f"It is not: {error}") from error
    for name, split in content.items():
        if not _well_formed(split):
            raise BadInput(
                f"{path}: the split {name} should be a list of tables, or a list of such lists",
                f"It is {split!r}",
            )
    twice = [table for table, n in Counter(_tables(content.values())).items() if n > 1]
    if twice:
        raise BadInput(
            f"{path} should name each table once", f"It names {', '.join(sorted(twice))} twice"
        )
    return list(content.values())


def _well_formed(split: object) -> bool:
    if not isinstance(split, list) or not split:
        return False
    return all(isinstance(p, str) for p in split) or all(_well_formed(part) for part in split)


def _tables(splits: Iterable["str | Split"]) -> Iterator[str]:
    for part in splits:
        if isinstance(part, str):
            yield part
        else:
            yield from _tables(part)


def check_splits(path: Path, splits: list[Split], tables: Iterable[str]) -> None:
    """Raise BadInput unless the splits name exactly the tables that there are."""
    named, there = set(_tables(splits)), {table for table in tables if table}
    unknown, missing = sorted(named - there), sorted(there - named)
    if unknown or missing:
        told = [f"no item is in {', '.join(unknown)}"] if unknown else []
        told += [f"no split has {', '.join(missing)}"] if missing else []
        raise BadInput(
            f"{path} should name every table of the items, and no other",
            "; ".join(told).capitalize(),
            "Correct the file; nothing was taken in",
        )


def split_codes(splits: list[Split], tables: Sequence[str]) -> list[I32]:
    """For each nesting level, the split that each table is in there.

    Tables that a level does not divide share the number of what they lie in; a table in no split
    (the empty one) has a number of its own.
    """
    code = {table: number for number, table in enumerate(tables)}
    levels: list[I32] = []
    groups: list[Split] = list(splits)
    while groups:
        level = np.full(len(tables), -1, np.int32)
        for number, group in enumerate(groups):
            level[[code[t] for t in _tables(group)]] = number
        levels.append(level)
        groups = [part for group in groups for part in group if not isinstance(part, str)]
    return levels
