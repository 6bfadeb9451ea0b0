"""Splits: which tables are cut from which (CSProv, section IV), given by a person or found.

A splits file is a small TOML, one split a line: its tables, or its sub-splits, each again a list.

    sources = ["raw", "weather"]
    curated = [["cleaned", "joined"], ["daily", "monthly"]]

Where no file is given, sets are found without splits: see ``search``.
"""

import tomllib
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from provhouse.model.errors import BadInput
from provhouse.sets.splits import Split, tables_of


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
    twice = [table for table, n in Counter(tables_of(content.values())).items() if n > 1]
    if twice:
        raise BadInput(
            f"{path} should name each table once", f"It names {', '.join(sorted(twice))} twice"
        )
    return list(content.values())


def _well_formed(split: object) -> bool:
    if not isinstance(split, list) or not split:
        return False
    return all(isinstance(p, str) for p in split) or all(_well_formed(part) for part in split)


def check_splits(path: Path, splits: list[Split], tables: Iterable[str]) -> None:
    """Raise BadInput unless the splits name exactly the tables that there are."""
    named, there = set(tables_of(splits)), {table for table in tables if table}
    unknown, missing = sorted(named - there), sorted(there - named)
    if unknown or missing:
        told = [f"no item is in {', '.join(unknown)}"] if unknown else []
        told += [f"no split has {', '.join(missing)}"] if missing else []
        raise BadInput(
            f"{path} should name every table of the items, and no other",
            "; ".join(told).capitalize(),
            "Correct the file; nothing was taken in",
        )
