"""The earlier forms of registered tables: Parquet files or JSON records in a separate folder.

Releases up to format 7 wrote them. The first change of a table copies their rows to the registered
table. The folder is kept until a generation is committed in a newer format, which earlier releases
refuse to read.
"""

import json
import shutil
from pathlib import Path

import pyarrow as pa

from ..warehouse.layout import Layout
from ..warehouse.locks import check_lock


def earlier_files(layout: Layout, name: str) -> list[Path]:
    """Return the files of a table's earlier form, in order."""
    folder = _folder(layout, name)
    return sorted(path for end in ("parquet", "json") for path in folder.glob(f"[0-9a-f]*.{end}"))


def record_rows(path: Path, schema: pa.Schema) -> pa.Table:
    """Return the row in a JSON record. An object in a string column stays JSON."""
    row = {
        name: json.dumps(value)
        if isinstance(value, dict) and schema.field(name).type == pa.string()
        else value
        for name, value in json.loads(path.read_text(encoding="utf-8")).items()
    }
    return pa.Table.from_pylist([row], schema=schema)


def has_earlier(layout: Layout, name: str) -> bool:
    """Return whether the folder of a table's earlier form exists."""
    return _folder(layout, name).exists()


def remove_earlier(layout: Layout, name: str) -> None:
    """Remove the earlier form of a table. Only the single writer may call this."""
    check_lock(layout)
    shutil.rmtree(_folder(layout, name))


def _folder(layout: Layout, name: str) -> Path:
    return layout.root / name
