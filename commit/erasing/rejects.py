"""Clear the content of rejected rows that name an erased item. Their numbers and reasons stay."""

import json
import re
from collections.abc import Collection, Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from provhouse.model.arrays import Bools
from provhouse.model.columns import DST, SRC
from provhouse.model.fault_points import reach
from provhouse.store.tables.delta_tables import newest_version, table_files
from provhouse.store.tables.snapshot import Snapshot
from provhouse.store.warehouse.layout import Layout

from .rewriting import rewrite, update_lengths

REJECTS = "rejects"
CONTENT = "content"
_TOLERANT = json.JSONDecoder(strict=False)
_QUOTED = re.compile(r'"((?:[^"\\]+|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*)"?')
"""A pattern that matches a JSON string.

The closing quote is optional; otherwise, a search could take quadratic time.
"""


def rejects_naming(snapshot: Snapshot, names: Collection[str]) -> dict[Path, set[str]]:
    """Return, by file, the given names that the file's rejected rows contain.

    Files without any of these names are left out.
    """
    folder = snapshot.folder(REJECTS)
    found: dict[Path, set[str]] = {}
    for path in table_files(folder, REJECTS, snapshot.commit.tables.get(REJECTS)):
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(columns=[CONTENT]):
                named = set().union(*map(NameMatcher(names), batch.column(0).to_pylist()))
                if named:
                    found[path] = found.get(path, set()) | named
    return found


def clear_rejected(path: Path, names: Collection[str]) -> int:
    """Clear the rows of a file that name any of these items; return the number of such rows."""
    named = NameMatcher(names)
    counts: dict[int, int] = {}

    def change(rows: pa.Table, at: int) -> pa.Table:
        gone: Bools = np.array([bool(named(text)) for text in rows[CONTENT].to_pylist()], bool)
        counts[at] = int(gone.sum())
        column = rows.column_names.index(CONTENT)
        return rows.set_column(column, CONTENT, pc.if_else(pa.array(gone), "", rows[CONTENT]))

    rewrite(path, change)
    update_lengths(path.parent)
    reach("rejects cleared")
    return sum(counts.values())


def finish_rejected(layout: Layout, base: int) -> None:
    """Complete a call of ``clear_rejected`` that was interrupted after it had replaced a file."""
    folder = layout.table(base, REJECTS)
    if newest_version(folder) is not None:
        update_lengths(folder)


class NameMatcher:
    """A search for given names in the fields of a rejected row.

    The row's src and dst may lack the scope that an ingest puts in front of item names.
    """

    def __init__(self, names: Collection[str]) -> None:
        self._names = set(names)

    def __call__(self, content: str) -> set[str]:
        fields = _parsed(content or "{}")
        texts = set(_texts(fields))
        found = self._names & texts
        own = {fields.get(end) for end in (SRC, DST)} if isinstance(fields, dict) else texts
        ends = tuple(f"/{text}" for text in own if text)
        return found | {name for name in self._names if ends and name.endswith(ends)}


def _texts(value: object) -> Iterator[str]:
    """Yield all strings in a value.

    If a string is JSON, as attributes are, yield its strings too.
    """
    left = [value]
    while left:
        part = left.pop()
        if isinstance(part, dict):
            left.extend(part.values())
        elif isinstance(part, list):
            left.extend(part)
        elif isinstance(part, str):
            yield part
            if part.startswith(("{", "[")):
                left.append(_parsed(part))


def _parsed(text: str) -> object:
    """Return parsed JSON, or the quoted strings of a text that is invalid or nested too deeply."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return [_TOLERANT.decode(f'"{part}"') for part in _QUOTED.findall(text)]
