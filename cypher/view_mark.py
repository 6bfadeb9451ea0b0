"""A file next to Neo4j's data that lists the items whose names the data may contain.

Only views of answers (``provhouse browser ITEM``) bring names into Neo4j. Neo4j's files may still
contain the names after the views were removed, so the list is kept until the data is deleted. The
list has a line for each view: a warehouse, a base, and the numbers of items. An empty line or an
empty file, as earlier versions wrote, means that the data may contain the name of any item.
"""

import json
import os
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path


def _file(home: Path) -> Path:
    return home / "has-names"


def mark_names(home: Path, warehouse: str, base: int, items: Iterable[int]) -> None:
    """Add items of a warehouse to the file; call this before writing their names to Neo4j."""
    line = json.dumps({"warehouse": warehouse, "base": base, "items": sorted(items)})
    before = "\n" if _file(home).exists() and not _file(home).stat().st_size else ""
    with _file(home).open("ab", buffering=0) as file:  # unbuffered: several processes may append
        file.write(f"{before}{line}\n".encode())
        os.fsync(file.fileno())


def has_names(home: Path, warehouse: str, items: Mapping[int, Collection[int]]) -> bool:
    """Return whether names of these items may be in Neo4j's data or logs.

    ``items`` has item numbers by base. The result is also True if a view has items of a base that
    is not in ``items``, since that base may have contained the same names.
    """
    try:
        lines = _file(home).read_text().splitlines() or [""]
    except FileNotFoundError:
        return False
    return any(_names(line, warehouse, items) for line in lines)


def _names(line: str, warehouse: str, items: Mapping[int, Collection[int]]) -> bool:
    try:
        view = json.loads(line)
        if view["warehouse"] != warehouse:
            return False
        base = int(view["base"])
        return base not in items or not set(view["items"]).isdisjoint(items[base])
    except (ValueError, KeyError, TypeError):  # from an earlier version, or cut short by a crash
        return True


def clear_mark(home: Path) -> None:
    """Delete the file. Delete the data and the logs first, then this file."""
    _file(home).unlink(missing_ok=True)
