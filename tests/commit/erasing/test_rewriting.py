"""Rewritten table files stay valid for readers, which rely on their names, lengths and log."""

from pathlib import Path
from random import Random

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from deltalake import DeltaTable
from pyspark.sql import SparkSession

from provhouse.commit.erasing import rewriting
from provhouse.commit.erasing.rewriting import rewrite, update_lengths
from provhouse.model.columns import TABLES
from provhouse.store.tables.delta_tables import NewFile, append_files, write_parquet


def triples(random: Random, rows: int) -> pa.Table:
    """Return random rows, with few or with many distinct strings."""
    ops = [random.choice(["x", "y", f"{random.random()}"]) for _ in range(rows)]
    if random.random() < 0.3:
        ops = ["x"] * rows
    attributes = [f'{{"a":"{random.random()}"}}'] * rows if random.random() < 0.5 else [""] * rows
    return pa.table(
        {
            "src": [random.randrange(10 * rows) for _ in range(rows)],
            "dst": sorted(random.randrange(10 * rows) for _ in range(rows)),
            "op": ops,
            "attributes": attributes,
            **{name: pa.repeat(pa.scalar(1, pa.int32()), rows) for name in ("ingest", "born")},
            "origin": pa.array([random.randrange(3) for _ in range(rows)], pa.int32()),
        }
    )


def cleared(share: float, seed: int) -> rewriting.Change:
    """Return a change that clears the strings of some rows."""

    def change(rows: pa.Table, at: int) -> pa.Table:
        gone = pa.array(np.random.default_rng(seed).random(rows.num_rows) <= share)
        for name in ("op", "attributes"):
            texts = pa.compute.if_else(gone, "", rows[name])
            rows = rows.set_column(rows.column_names.index(name), name, texts)
        return rows

    return change


def rewritten(folder: Path, seed: int, rows: int) -> tuple[pa.Table, bool]:
    """Rewrite a table of one file; return its rows and whether the file kept its length."""
    random = Random(seed)
    folder.mkdir()
    path = folder / "0000000001.parquet"
    table = triples(random, rows)
    write_parquet(table, path)
    size = path.stat().st_size
    append_files(folder, "triples", [NewFile(path.name, rows, {"partition": "1"})])
    change = cleared(random.choice([1 / rows, 0.1, 0.5, 1]), seed)
    rewrite(path, change)
    update_lengths(folder)
    with pq.ParquetFile(path, page_checksum_verification=True) as file:
        found = file.read()
    assert found.equals(change(table, 0))
    logged = DeltaTable(folder)
    actions = logged.get_add_actions(flatten=True)
    assert actions["size_bytes"].to_pylist() == [path.stat().st_size]
    assert sorted(p.name for p in folder.iterdir()) == [path.name, "_delta_log"]
    assert logged.to_pyarrow_table(columns=found.column_names).equals(found)
    return found, path.stat().st_size == size


@pytest.mark.long
def test_most_files_keep_their_length_and_the_log_has_the_rest(tmp_path: Path) -> None:
    kept = [
        rewritten(tmp_path / f"{seed}", seed, [1, 2, 3, 7, 40, 300, 5000][seed % 7])[1]
        for seed in range(35)
    ]
    assert 25 <= sum(kept) < 35


@pytest.mark.long
def test_spark_reads_files_of_old_and_new_length(tmp_path: Path, spark: SparkSession) -> None:
    lengths = set()
    for seed, rows in ((3, 7), (6, 5000), (33, 300)):
        found, same = rewritten(tmp_path / f"{seed}", seed, rows)
        lengths.add(same)
        read = spark.read.format("delta").load(str(tmp_path / f"{seed}")).drop("partition")
        said = sorted(map(tuple, read.select(*found.column_names).collect()))
        assert said == sorted(tuple(row.values()) for row in found.to_pylist())
    assert lengths == {True, False}


def test_every_version_of_the_log_has_the_new_length(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the newest version still lists a rewritten file, all versions state its new length.

    Checkpoints are removed, because they would state the old length.
    """
    monkeypatch.setattr(rewriting, "_ENCODINGS", ((-50, False),))
    rows = pa.table(
        {"table": ["a" * 3] * 4000, "items": [1] * 4000, "ingest": pa.array([1] * 4000, pa.int32())}
    )
    for number in range(3):
        write_parquet(rows.cast(TABLES["tables"]), tmp_path / f"{number}.parquet")
        append_files(tmp_path, "tables", [NewFile(f"{number}.parquet", 4000)])
    DeltaTable(tmp_path).create_checkpoint()
    DeltaTable(tmp_path).restore(1)
    rewrite(tmp_path / "2.parquet", lambda rows, _: rows)
    rewrite(tmp_path / "0.parquet", lambda rows, _: rows)
    update_lengths(tmp_path)
    assert not list((tmp_path / "_delta_log").glob("*checkpoint*"))
    for version, files in ((0, 1), (1, 2), (2, 3), (3, 2)):
        actions = DeltaTable(tmp_path, version=version).get_add_actions(flatten=True)
        sizes = dict(
            zip(actions["path"].to_pylist(), actions["size_bytes"].to_pylist(), strict=True)
        )
        assert len(sizes) == files
        if version != 2:
            assert sizes == {name: (tmp_path / name).stat().st_size for name in sizes}


@pytest.mark.parametrize("crash", ["hint removed", "checkpoint removed"])
def test_a_table_stays_readable_while_its_checkpoint_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, crash: str
) -> None:
    monkeypatch.setattr(rewriting, "_ENCODINGS", ((-50, False),))
    rows = pa.table(
        {"table": ["a" * 3] * 4000, "items": [1] * 4000, "ingest": pa.array([1] * 4000, pa.int32())}
    )
    path = tmp_path / "0.parquet"
    write_parquet(rows.cast(TABLES["tables"]), path)
    append_files(tmp_path, "tables", [NewFile(path.name, 4000)])
    DeltaTable(tmp_path).create_checkpoint()  # as the 100th commit to a table does
    assert (tmp_path / "_delta_log" / "_last_checkpoint").exists()
    rewrite(path, lambda rows, _: rows)

    def killed(name: str) -> None:
        if name == crash:
            raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(rewriting, "reach", killed)
        with pytest.raises(KeyboardInterrupt):
            update_lengths(tmp_path)
    assert DeltaTable(tmp_path).version() == 0
    update_lengths(tmp_path)
    actions = DeltaTable(tmp_path).get_add_actions(flatten=True)
    sizes = dict(zip(actions["path"].to_pylist(), actions["size_bytes"].to_pylist(), strict=True))
    assert sizes == {name: (tmp_path / name).stat().st_size for name in sizes}
