"""An export contains all that a generation shows. Damaged or foreign exports are refused."""

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from helpers.kept import BOTH, assert_same, everything, rows, some_items
from helpers.oracle import Triple
from helpers.warehouse import House
from provhouse.care.retract import Retracting, retract
from provhouse.ingest.imported import import_
from provhouse.ingest.ingest_summary import Summary
from provhouse.model.errors import BadInput, NotFound, Unavailable, UsageError
from provhouse.model.progress import Silent
from provhouse.query.exporting import export_files
from provhouse.query.exporting.export import export_answer, export_warehouse
from provhouse.query.lineage.ask import Asker
from provhouse.store.warehouse.commits import current, generations
from provhouse.store.warehouse.manifest import read_manifest

Houses = Callable[..., House]


@pytest.fixture(scope="module")
def exported(kept: House, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An export of the whole warehouse, in several files."""
    folder = tmp_path_factory.mktemp("export") / "all"
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(export_files, "FILE_TRIPLES", 60)
        export_warehouse(kept.layout, folder, Silent())
    return folder


def import_into(house: House, folder: Path) -> Summary:
    summary = import_(folder, house.settings, Silent())
    house.check()
    return summary


@pytest.mark.long
def test_an_export_is_imported_unchanged(
    kept: House, files: Path, exported: Path, houses: Houses
) -> None:
    manifest, held = read_manifest(exported), current(kept.layout)
    assert held
    assert len(manifest.files) > 2
    assert (manifest.triples, manifest.items) == (held.totals.triples, held.totals.items)
    other = houses(theta=10, partition_triples=50)
    summary = import_into(other, exported)
    assert (summary.triples, summary.items) == (manifest.triples, manifest.items)
    assert (summary.components, summary.duplicates) == (held.totals.components, 0)
    assert_same(kept, other, some_items(rows(files, "first", "second"), 25))
    assert not import_into(other, exported).committed


@pytest.mark.long
def test_an_exported_answer_is_imported_into_another_warehouse(
    kept: House, files: Path, houses: Houses, tmp_path: Path
) -> None:
    house = houses()
    house.ingest([Triple("mid/70", "theirs", "used", "mid", "")])
    with kept.asker() as asker:
        answers = [asker.ask("mid/70", direction, "csprov") for direction in BOTH]
    for answer in answers:
        folder = tmp_path / answer.direction
        manifest = export_answer(kept.layout, answer, folder)
        assert manifest == read_manifest(folder)
        assert (manifest.item, manifest.triples) == ("mid/70", answer.triples.num_rows)
        import_into(house, folder)
    with house.asker() as asker:
        assert everything(asker.ask("mid/70", "upstream", "csprov")) == everything(answers[0])
        assert asker.ask("theirs", "upstream").items.num_rows == answers[0].items.num_rows + 1
    source = rows(files, "first")[0].triple.src
    with Asker(kept.settings, Silent(), 1) as asker:
        answer = asker.ask(source, "upstream")
    nothing = export_answer(kept.layout, answer, tmp_path / "nothing")
    assert (nothing.triples, nothing.items, len(nothing.files)) == (0, 0, 1)
    assert not import_into(house, tmp_path / "nothing").committed


@pytest.mark.long
def test_long_names_are_written_in_pieces(
    kept: House, exported: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Export files consist of pieces of limited size, even if one row is longer than the limit."""
    monkeypatch.setattr(export_files, "PIECE_BYTES", 200)
    with kept.asker() as asker:
        answer = asker.ask("mid/70", "upstream")
    export_answer(kept.layout, answer, tmp_path / "answer")
    export_warehouse(kept.layout, tmp_path / "all", Silent())
    for name, written in (("answer", answer.triples), ("all", read(exported))):
        file = pq.ParquetFile(tmp_path / name / "triples-00001.parquet")
        assert file.num_row_groups > written.num_rows // 10
        assert file.read(written.column_names).to_pylist() == written.to_pylist()


@pytest.mark.long
def test_names_of_more_than_2_gib_are_exported(kept: House, tmp_path: Path) -> None:
    """Columns src and dst may each hold 2.6 GB of text, although only 41 names are distinct."""
    names = pa.array([f"{n:02d}".ljust(1 << 16, "x") for n in range(41)])
    src = pa.array(np.arange(40_000, dtype=np.int32) % 40 + 1)
    ends = {
        "src": pa.DictionaryArray.from_arrays(src, names),
        "dst": pa.DictionaryArray.from_arrays(pa.repeat(pa.scalar(0, pa.int32()), 40_000), names),
    }
    with kept.asker() as asker:
        answer = asker.ask("mid/70", "upstream")
    none = pa.repeat("", 40_000)
    triples = pa.table({**ends, "op": none, "attributes": none})
    answer = replace(answer, items=answer.items.slice(0, 0), triples=triples)
    manifest = export_answer(kept.layout, answer, tmp_path / "long")
    assert (manifest.triples, manifest.items) == (40_000, 41)
    file = pq.ParquetFile(tmp_path / "long" / "triples-00001.parquet")
    dst = [part["dst"] for part in file.iter_batches(1000, columns=["dst"])]
    assert sum(len(part) for part in dst) == 40_000
    assert all(pc.all(pc.equal(part, names[0])).as_py() for part in dst)


def read(folder: Path) -> pa.Table:
    """Return all rows of an export."""
    return pa.concat_tables(pq.read_table(path) for path in sorted(folder.glob("*.parquet")))


def flip_bit(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def with_fields(**other: Any) -> Callable[[Path], object]:
    """Return a function that sets the given fields of a manifest."""

    def change(folder: Path) -> None:
        path = folder / "manifest.json"
        path.write_text(json.dumps(json.loads(path.read_text()) | other))

    return change


def outside(folder: Path) -> None:
    path = folder / "manifest.json"
    path.write_text(path.read_text().replace("triples-00002.parquet", "../secret.parquet"))


DAMAGES: dict[str, tuple[Callable[[Path], object], str]] = {
    "a flipped bit": (lambda f: flip_bit(f / "triples-00002.parquet"), "triples-00002.*SHA-256"),
    "a missing file": (lambda f: (f / "triples-00001.parquet").unlink(), "triples-00001"),
    "a replaced file": (
        lambda f: shutil.copy(f / "triples-00001.parquet", f / "triples-00002.parquet"),
        "triples-00002",
    ),
    "no manifest": (
        lambda f: (f / "manifest.json").unlink(),
        "an interrupted export has no manifest",
    ),
    "a manifest of another kind": (with_fields(files=[1]), "Reading it fails"),
    "a newer manifest": (with_fields(format=2), "newer provhouse"),
    "more triples": (with_fields(triples=10_000), "manifest lists 10,000"),
    "fewer items": (with_fields(items=1), "manifest lists 1\\n"),
    "a file outside": (outside, "It is '../secret"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_export_is_refused(
    exported: Path, houses: Houses, tmp_path: Path, damage: str
) -> None:
    change, message = DAMAGES[damage]
    shutil.copytree(exported, tmp_path / "all")
    change(tmp_path / "all")
    house = houses()
    with pytest.raises(BadInput, match=f"(?s){message}"):
        import_(tmp_path / "all", house.settings, Silent())
    assert not generations(house.layout)
    assert not list(house.layout.root.glob("base-*"))


def test_an_export_needs_a_new_folder_and_has_one_generation(
    kept: House, houses: Houses, exported: Path, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match="not empty"):
        export_warehouse(kept.layout, exported, Silent())
    with pytest.raises(UsageError, match="inside the warehouse"):
        export_warehouse(kept.layout, kept.layout.root / "base-9", Silent())
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with pytest.raises(Unavailable, match="cannot be created or read"):
        export_warehouse(kept.layout, tmp_path / "loop", Silent())
    first = export_warehouse(kept.layout, tmp_path / "first", Silent(), 1)
    assert (first.generation, first.triples, len(first.files)) == (1, 150, 1)
    with pytest.raises(NotFound):
        export_warehouse(houses().layout, tmp_path / "none", Silent())
    assert not (tmp_path / "none").exists()


@pytest.mark.long
def test_an_export_leaves_out_retracted_triples(houses: Houses, tmp_path: Path) -> None:
    house = houses()
    house.ingest([Triple("a", "b"), Triple("b", "c")])
    retract(Retracting(items=["c"]), house.settings, Silent())
    now = export_warehouse(house.layout, tmp_path / "now", Silent())
    then = export_warehouse(house.layout, tmp_path / "then", Silent(), as_of=1)
    assert [(one.triples, one.items) for one in (now, then)] == [(1, 2), (2, 3)]
    other = houses()
    assert import_into(other, tmp_path / "now").triples == 1
