"""A preview reports what an ingest of the same files would do, and leaves nothing behind."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from helpers.oracle import Triple
from helpers.warehouse import House
from provhouse.ingest.formats.column_mapping import columns_of, mapped_columns
from provhouse.ingest.ingest_summary import Reject
from provhouse.ingest.preview import FileKind, Preview, preview
from provhouse.model.errors import BadInput
from provhouse.model.progress import Silent
from provhouse.model.settings import Settings
from provhouse.output.results.preview_view import PreviewResult
from provhouse.runtime.scratch import clear_abandoned


@pytest.fixture(autouse=True)
def temporary(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a temporary folder that only this test uses, so that it contains no other previews."""
    folder = tmp_path_factory.mktemp("temporary")
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def previewed(folder: Path, *files: Path, theta: int = 4, **options: Any) -> Preview:
    """Preview files for a warehouse that does not exist; fail if the preview creates it."""
    try:
        settings = Settings(warehouse=folder / "nowhere", theta=theta, pack=0)
        return preview(files, settings, progress=Silent(), **options)
    finally:
        assert not (folder / "nowhere").exists()
        assert not [*Path(tempfile.gettempdir()).glob("provhouse-preview-*")]


def test_a_preview_counts_what_an_ingest_would_bring(tmp_path: Path) -> None:
    one, other = tmp_path / "a.csv", tmp_path / "b.jsonl"
    one.write_text("src,dst,src_table,dst_table,v\na,b,S,T,1\na,,S,T,1\na,b,S,T,1\nx,y,S,T,\n")
    other.write_text('{"src":"a","dst":"c","src_table":"U"}\n{"src":""}\n')
    found = previewed(tmp_path, one, other, names="global")
    assert (found.files, found.rows, found.rejected) == (2, 6, 2)
    assert (found.items, found.new_items, found.two_tables) == (5, 5, 1)
    assert (found.components, found.sets, found.tables) == (2, 2, ("S", "T"))
    assert found.rejects == (
        Reject(str(one), 2, "no dst"),
        Reject(str(other), 2, "no src and no dst"),
    )
    known = tuple((name, (name,)) for name in ("src", "dst", "src_table", "dst_table"))
    assert found.forms == (
        FileKind("csv", 1, str(one), (*known, ("v", ("attribute",)))),
        FileKind("jsonl", 1, str(other), known[:3]),
    )
    assert found.largest == ()


def test_a_preview_shows_how_columns_are_mapped(tmp_path: Path) -> None:
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).write_text("from,dst,t,run\na,b,S,1\na,b,S,2\n")
    columns = columns_of(["src=from,src_table=t,dst_table=t"], "run")
    found = previewed(tmp_path, tmp_path / "a.csv", tmp_path / "b.csv", columns=columns)
    assert found.items == 4
    (form,) = found.forms
    assert form.files == 2
    assert dict(form.columns) == {
        "from": ("src",), "dst": ("dst",), "t": ("src_table", "dst_table"),
        "run": ("scope", "attribute"),
    }  # fmt: skip


def chain(length: int) -> str:
    """Return CSV text in which ``length`` chains over three tables end in one item."""
    rows = ["src,dst,src_table,dst_table"]
    for n in range(length):
        rows += [f"a{n},b{n},A,B", f"b{n},c,B,C"]
    return "\n".join(rows) + "\n"


def test_a_preview_shows_how_tables_are_split(tmp_path: Path) -> None:
    file, splits = tmp_path / "t.csv", tmp_path / "s.toml"
    file.write_text(chain(5))
    splits.write_text('one = ["A", "B"]\nother = ["C"]')
    (component,) = previewed(tmp_path, file, splits=splits).largest
    assert (component.items, component.sets) == (11, 6)
    assert component.splits == (("A", "B"), ("C",))
    (component,) = previewed(tmp_path, file).largest
    assert {table for split in component.splits for table in split} == {"A", "B", "C"}
    assert previewed(tmp_path, file, theta=12).largest == ()


@pytest.mark.parametrize("content", ['src,dst\na,b,"c\n', "from,to\na,b\n"])
def test_a_preview_refuses_a_broken_file(tmp_path: Path, content: str) -> None:
    (tmp_path / "t.csv").write_text(content)
    with pytest.raises(BadInput, match=r"t\.csv, line"):
        previewed(tmp_path, tmp_path / "t.csv")


def test_ragged_rows_and_files_passed_over_are_counted_and_refused_by_strict(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "t.csv").write_text("src,dst\na,b\nc\n")
    found = previewed(tmp_path, folder)
    assert (found.rejected, found.rejects[0].reason) == (1, "1 value, the header has 2")
    with pytest.raises(BadInput, match=r"1 rows are not triples\n.*t\.csv, row 2: 1 value"):
        previewed(tmp_path, folder, strict=True)
    (folder / "t.csv").write_text("src,dst\na,b\n")
    (folder / "_u.csv").write_text("src,dst\nc,d\n")
    found = previewed(tmp_path, folder)
    assert (found.passed_over, found.first_passed_over) == (1, (str(folder / "_u.csv"),))
    with pytest.raises(BadInput, match=r"would be passed over\n.*_u\.csv"):
        previewed(tmp_path, folder, strict=True)


def test_a_preview_checks_strict_and_splits(tmp_path: Path) -> None:
    file, splits = tmp_path / "t.csv", tmp_path / "s.toml"
    file.write_text("src,dst,src_table\na,b,T\na,,T\n")
    splits.write_text('one = ["U"]')
    with pytest.raises(BadInput, match="--strict"):
        previewed(tmp_path, file, strict=True)
    with pytest.raises(BadInput, match="does not name exactly the tables"):
        previewed(tmp_path, file, splits=splits)


def files(root: Path) -> dict[Path, int]:
    """Return all files below a folder, with their modification times."""
    inside = [file for file in root.rglob("*") if file.is_file()]
    return {file: file.stat().st_mtime_ns for file in inside}


@pytest.mark.long
def test_a_preview_knows_stored_items_and_changes_nothing(houses: Callable[..., House]) -> None:
    house = houses(theta=3)
    house.ingest([Triple("a", "b", "1", "T", "T"), Triple("b", "c", "1", "T", "T")])
    before = files(house.layout.root)
    file = house.write([Triple("c", "d", "2", "U", "U"), Triple("x", "y", "", "", "")], "new.csv")
    with pytest.raises(BadInput, match="'c' in T and U"):
        preview([file], house.settings, progress=Silent())
    found = preview([file], house.settings, names="global", progress=Silent())
    assert files(house.layout.root) == before
    summary = house.ingest_files(file, names="global")
    assert (found.items, found.new_items) == (4, summary.new_items)
    assert found.two_tables == summary.two_tables == 1
    assert preview([file], house.settings, replace=True, progress=Silent()).new_items == 4


@pytest.mark.long
def test_the_folder_of_a_killed_preview_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A preview's temporary folder must be removed, because it contains names from the input."""
    file, temporary = tmp_path / "a.csv", tmp_path / "temporary"
    file.write_text("src,dst\na,b\n")
    temporary.mkdir()
    script = (
        "import os, sys; from pathlib import Path; from provhouse.ingest import preview as p;"
        "from provhouse.model.progress import Silent;"
        "from provhouse.model.settings import Settings;"
        "p._found = lambda *_: os.kill(os.getpid(), 9);"
        "p.preview([Path(sys.argv[1])], Settings(warehouse=Path('nowhere')), progress=Silent())"
    )
    subprocess.run(
        [sys.executable, "-c", script, file],
        env={**os.environ, "TMPDIR": str(temporary)}, cwd=tmp_path, check=False,
    )  # fmt: skip
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    assert [*temporary.glob("provhouse-preview-*/*.arrow")]
    clear_abandoned()
    assert not [*temporary.glob("provhouse-preview-*")]


def test_a_preview_shows_the_constants_of_a_file_with_a_foreign_key(tmp_path: Path) -> None:
    file = tmp_path / "employees.csv"
    file.write_text("id,manager_id\n1,\n2,1\n3,1\n")
    constants = {"src_table": "employees", "dst_table": "employees", "op": "manages"}
    columns = mapped_columns({"src_id": "manager_id", "dst_id": "id"}, None, (), constants)
    found = previewed(tmp_path, file, columns=columns)
    assert (found.items, found.rejected, found.tables) == (3, 1, ("employees",))
    assert found.forms[0].constants == tuple(constants.items())
    console = Console(file=StringIO(), width=300)
    console.print(*PreviewResult(found).text())
    assert isinstance(console.file, StringIO)
    shown = console.file.getvalue()
    assert "src_table is 'employees'; dst_table is 'employees'; op is 'manages'" in shown
