"""Load a large graph with Neo4j's importer, before the first start of its server.

The importer is several times as fast as statements, but it replaces the whole database, so it is
used only in a home folder without a database. For each layout below, the importer writes the same
nodes or relationships as the Cypher statement after which the layout is named.
"""

import os
import shutil
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import BinaryIO

import psutil
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow.csv import CSVWriter

from provhouse.model.errors import Unavailable
from provhouse.model.fault_points import reach
from provhouse.runtime.files import sync_file, sync_folder

from .address import DATABASE
from .bulk import as_text
from .neo4j_process import ENVIRONMENT, java_command

WAREHOUSE = "warehouse"
PAGE = 8192
"""The size of a page in Neo4j's store files."""
RESERVED_FROM = 1 << 20
"""The smallest size in bytes of a store file whose pages the importer reserves in advance."""
LOG_BYTES = 1 << 16
"""The size in bytes of a shortened transaction log. An import uses only a few hundred bytes."""


@dataclass(frozen=True)
class CsvLayout:
    """The layout of a CSV file for the importer. The file contains the rows of a statement."""

    option: str
    header: tuple[str, ...]
    columns: tuple[str, ...]
    """Each header of the file, with the name of the column in the rows."""


LAYOUTS = {
    "sets": CsvLayout(
        "--nodes=Set",
        (":ID(Set)", "id:long", "warehouse", "items:long", "triples:long", "tables"),
        ("id", "id", WAREHOUSE, "items", "triples", "tables"),
    ),
    "components": CsvLayout(
        "--nodes=Component",
        (":ID(Component)", "id:long", "warehouse", "items:long", "triples:long", "sets:long"),
        ("id", "id", WAREHOUSE, "items", "triples", "sets"),
    ),
    "dependencies": CsvLayout(
        "--relationships=DEPENDS_ON",
        (":START_ID(Set)", ":END_ID(Set)", "triples:long", "ops"),
        ("set", "derives_from", "triples", "ops"),
    ),
    "part_of": CsvLayout(
        "--relationships=PART_OF",
        (":START_ID(Set)", ":END_ID(Component)"),
        ("set", "component"),
    ),
}  # fmt: skip
"""The layouts, keyed by the name of the statement that would write the same rows."""


class Import:
    """The rows of each statement, to be imported if the home folder has no database yet.

    Only one table of a statement's rows is in memory at a time.
    """

    def __init__(
        self, warehouse: str, rows: Mapping[str, Iterable[pa.Table]], whole: bool = True
    ) -> None:
        self._warehouse, self._rows = warehouse, rows
        self.whole = whole
        """Whether hardly anything is left to write after the import."""
        self.done = False
        """Whether the rows were imported. If not, statements must write them."""

    def run(self, home: Path, memory: str) -> None:
        """Write the database; raise Unavailable with the importer's message if it fails."""
        _marker(home).touch()
        reach("import begun")
        folder = _folder(home)
        folder.mkdir(parents=True, exist_ok=True)
        arguments, broken = [], False
        for name, rows in self._rows.items():
            file = folder / f"{name}.csv"
            broken |= self._write(file, LAYOUTS[name], rows)
            arguments.append(f"{LAYOUTS[name].option}={file}")
        # The importer reads a file in several threads only if no field has a line break.
        write_store(home, memory, [*arguments, f"--multiline-fields={str(broken).lower()}"])
        reach("import written")
        shutil.rmtree(folder)
        _marker(home).unlink()
        reach("import complete")
        self.done = True

    def _write(self, file: Path, layout: CsvLayout, tables: Iterable[pa.Table]) -> bool:
        """Write a CSV file; return whether a field has a line break."""
        broken = False
        empty = pa.schema([(name, pa.string()) for name in layout.header]).empty_table()
        shaped = (self._shaped(layout, rows) for rows in tables)
        first = next(shaped, empty)
        with CSVWriter(file, first.schema) as out:
            for table in chain([first], shaped):
                broken |= any(map(_has_line_break, table.columns))
                out.write_table(table)
        return broken

    def _shaped(self, layout: CsvLayout, rows: pa.Table) -> pa.Table:
        """Return rows with the columns of a CSV file."""
        warehouse = pa.repeat(self._warehouse, rows.num_rows)
        columns = [warehouse if c == WAREHOUSE else _plain(rows[c]) for c in layout.columns]
        return pa.table(columns, names=list(layout.header))


def _plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return a column that CSV can represent: each list becomes one string; other values stay."""
    return as_text(column) if pa.types.is_list(column.type) else column


def _has_line_break(column: pa.ChunkedArray) -> bool:
    """Return whether a value of a column, which may consist of numbers, has a line break."""
    if not pa.types.is_string(column.type):
        return False
    return bool(pc.any(pc.match_substring_regex(column, r"[\r\n]")).as_py())


def is_fresh(home: Path) -> bool:
    """Return whether a home folder has no database, or only one from an interrupted import."""
    return _marker(home).exists() or not (home / "data" / "databases" / DATABASE).exists()


def clear(home: Path) -> None:
    """Remove the files of an interrupted import.

    Kill its importer if that has outlived the command that started it.
    """
    if _marker(home).exists():
        for left in psutil.process_iter(["cmdline"]):
            if _report(home) in (left.info["cmdline"] or ()):
                left.kill()
                left.wait()
        for folder in ("databases", "transactions"):
            shutil.rmtree(home / "data" / folder / DATABASE, ignore_errors=True)
        shutil.rmtree(_folder(home), ignore_errors=True)
        _marker(home).unlink()


def discard(home: Path) -> None:
    """Delete the database. After an interruption, the next start of the server deletes it."""
    _marker(home).touch()
    reach("Neo4j discarded")
    clear(home)


def _marker(home: Path) -> Path:
    return home / "importing"


def _folder(home: Path) -> Path:
    return home / "import" / "first"


def _report(home: Path) -> str:
    """Return an option by which a home folder's importer is found in the process list."""
    return f"--report-file={_folder(home) / 'report'}"


def write_store(home: Path, memory: str, arguments: list[str]) -> None:
    """Run the importer, which writes the database of a home folder from the given files.

    Raises Unavailable with the importer's message if it fails.
    """
    _folder(home).mkdir(parents=True, exist_ok=True)
    command = [
        *java_command(
            memory, "-XX:TieredStopAtLevel=1"
        ),  # the importer ends too soon for more compilation
        "org.neo4j.cli.AdminTool",
        "database",
        "import",
        "full",
        *arguments,
        "--id-type=integer",
        _report(home),
        "--overwrite-destination=true",
        DATABASE,
    ]
    environment = {**os.environ, **ENVIRONMENT, "NEO4J_HOME": str(home)}
    environment["NEO4J_CONF"] = str(home / "conf")
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        printed = (done.stderr or done.stdout).splitlines()
        lines = [" ".join(line.split()) for line in printed if line.strip()]
        raise Unavailable(
            f"Neo4j's importer failed to write the database in {home}",
            f"It ended with status {done.returncode}: " + " ".join(lines[:3]),
            "Run the command again",
        )
    stores = home / "data" / "databases" / DATABASE
    logs = home / "data" / "transactions" / DATABASE
    trim_stores(stores)
    _trim_logs(logs)
    _sync(stores)
    _sync(logs)


def _sync(folder: Path) -> None:
    """Wait until all files of a folder are on disk."""
    for path in (*folder.rglob("*"), folder):
        (sync_folder if path.is_dir() else sync_file)(path)


def trim_stores(stores: Path) -> None:
    """Cut off the pages of zeros at the end of large store files, up to 32 MB in each file.

    The importer reserves these pages regardless of the settings. The server adds pages when it
    needs them.
    """
    for path in stores.glob("neostore.*store.db*"):
        with path.open("r+b") as file:
            end = path.stat().st_size // PAGE * PAGE
            while end > RESERVED_FROM and not any(_page(file, end - PAGE)):
                end -= PAGE
            if end < path.stat().st_size:
                file.truncate(end)


def _page(file: BinaryIO, start: int) -> bytes:
    file.seek(start)
    return file.read(PAGE)


def _trim_logs(logs: Path) -> None:
    """Cut off the 256 MB of zeros that the importer reserves in the transaction log.

    The importer ignores the setting that should prevent this. The server can read the shortened
    log.
    """
    for log in logs.glob("neostore.transaction.db.*"):
        with log.open("r+b") as file:
            if len(file.read(LOG_BYTES).rstrip(b"\0")) < LOG_BYTES // 2:
                file.truncate(LOG_BYTES)
