"""Reads of a small table are consistent while an erasure replaces the files of the table."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import cycle
from pathlib import Path
from threading import Event, Thread

import pyarrow as pa

from provhouse.model.columns import TABLES
from provhouse.store.tables.delta_tables import NewFile, append_files, read_rows, write_parquet


@contextmanager
def replacing(path: Path, others: list[Path]) -> Iterator[None]:
    """During the ``with`` block, repeatedly replace a file by copies of the ``others``."""
    enough = Event()

    def work() -> None:
        for other in cycle(others):
            if enough.is_set():
                return
            shutil.copyfile(other, path.with_name("aside"))
            path.with_name("aside").replace(path)

    thread = Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        enough.set()
        thread.join()


def test_a_file_replaced_during_a_read_is_read_as_old_or_new(tmp_path: Path) -> None:
    folder = tmp_path / "tables"
    folder.mkdir()
    paths, contents = [], []
    for number, text in enumerate(("", "a secret that is gone {}")):
        rows = pa.table({"table": [text.format(n) for n in range(3000)], "items": [7] * 3000})
        rows = rows.append_column("ingest", pa.repeat(pa.scalar(1, pa.int32()), 3000))
        paths.append(tmp_path / f"{number}.parquet")
        contents.append(rows.cast(TABLES["tables"]))
        write_parquet(contents[-1], paths[-1])
    shutil.copyfile(paths[0], folder / "0.parquet")
    append_files(folder, "tables", [NewFile("0.parquet", 3000)])
    with replacing(folder / "0.parquet", paths):
        for columns in (None, ["ingest", "table"]) * 100:
            wanted = [rows.select(columns or rows.column_names) for rows in contents]
            assert read_rows(folder, "tables", 0, columns) in wanted
