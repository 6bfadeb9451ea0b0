"""RQ and CCProv fetch all files that Spark opens."""

from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from helpers.memory_objects import MemoryObjects
from provhouse.model.columns import TABLES
from provhouse.model.progress import Silent, Stopwatch
from provhouse.model.settings import Settings
from provhouse.query.reading import spark_triples
from provhouse.query.reading.hashed_triples import HashedTriples
from provhouse.query.reading.spark_triples import SparkTriples
from provhouse.store.tables.delta_tables import NewFile, append_files, table_files
from provhouse.store.tables.partitions import write_partition
from provhouse.store.warehouse.at_address import opened, up_to_date
from provhouse.store.warehouse.layout import Layout
from provhouse.store.warehouse.locks import locked


def write_partitions(layout: Layout) -> int:
    """Write a table with two partitions, of which a rollback hides one; return its version."""
    folder, schema = layout.table(1, "triples"), TABLES["triples"]
    folder.mkdir(parents=True)
    rows = pa.Table.from_pylist([], schema).drop_columns(["partition"])
    names = [f"{number:010d}.parquet" for number in (1, 2)]
    for name in names:
        write_partition(rows, folder / name)
    files = [NewFile(name, 0, {"partition": name[9]}) for name in names]
    return append_files(folder, "triples", files)


def test_partitions_that_a_rollback_hides_are_fetched_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    objects = MemoryObjects()
    with ExitStack() as stack:
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "a"))
        a = stack.enter_context(opened(objects))
        with locked(Layout(a)):
            version = write_partitions(Layout(a))
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "b"))
        layout = Layout(stack.enter_context(opened(objects)))
        with up_to_date(layout.root, Silent(), whole=False):
            pass
        files = table_files(layout.table(1, "triples"), "triples", version)
        assert [file.exists() for file in files] == [False, False]

        commit = SimpleNamespace(base=1, tables={"triples": version})
        snapshot: Any = SimpleNamespace(layout=layout, commit=commit, partitions=np.array([1]))
        seen = list[bool]()

        def load(*_: object) -> Any:
            seen.extend(file.exists() for file in files)
            return SimpleNamespace(triple_count=0)

        monkeypatch.setattr(HashedTriples, "load", load)
        monkeypatch.setattr(spark_triples, "check_all", lambda *_: None)
        session: Any = SimpleNamespace(sparkContext=None)
        SparkTriples(snapshot, Settings(), Silent())._fill(session, "dst", Stopwatch())
        assert seen == [True, True]
