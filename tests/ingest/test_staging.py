"""Each kind of staged file has its own path, and can be written and read."""

from pathlib import Path

import numpy as np
import pyarrow as pa

from provhouse.ingest.staging import CHUNK, FileGroup, Staging
from provhouse.runtime.storage import (
    create_array,
    open_array,
    read_batches,
    read_schema,
    read_stream,
    stream_writer,
    write_stream,
)


def test_no_two_kinds_share_a_path(tmp_path: Path) -> None:
    staging = Staging(tmp_path)
    kinds = [getattr(staging, name) for name in vars(Staging) if not name.startswith("_")]
    files = [kind for kind in kinds if isinstance(kind, Path) and kind != tmp_path]
    files += [kind(1) for kind in kinds if isinstance(kind, FileGroup)]
    assert len(files) == len(set(files)) > 20


def test_files_come_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    names = Staging(tmp_path).create().names
    for bucket, file in ((1, 20), (1, 3), (0, 5), (11, 1)):
        names(bucket, file).touch()
    assert names.all(1) == [names(1, 3), names(1, 20)]
    assert names.all() == [names(0, 5), names(1, 3), names(1, 20), names(11, 1)]


def test_clearing_leaves_empty_folders(tmp_path: Path) -> None:
    staging = Staging(tmp_path / "staging").create()
    staging.rows(0).touch()
    staging.sets.touch()
    staging.clear()
    assert staging.rows.folder.is_dir()
    assert not [path for path in staging.folder.rglob("*") if path.is_file()]


def test_streams_and_arrays_are_read_as_they_were_written(tmp_path: Path) -> None:
    staging = Staging(tmp_path).create()
    table = pa.table({"n": [1, 2, 3]})
    write_stream(staging.sets, table)
    with stream_writer(staging.rows(0), table.schema) as out:
        out.write_table(table)
    for path in (staging.sets, staging.rows(0)):
        assert read_stream(path) == table
        assert read_schema(path) == table.schema
        assert sum(batch.num_rows for batch in read_batches(path)) == 3
    create_array(staging.hashes, np.int64, (4,))[1] = 7
    assert open_array(staging.hashes).tolist() == [0, 7, 0, 0]


def test_edges_are_read_in_chunks(tmp_path: Path) -> None:
    staging = Staging(tmp_path).create()
    for number, count in enumerate((CHUNK + 2, 0, 3)):
        create_array(staging.edges(number), np.int32, (2, count))[1] = number
    sizes = [(len(src), int(dst[-1])) for src, dst in staging.edge_chunks()]
    assert sizes == [(CHUNK, 0), (2, 0), (3, 2)]
