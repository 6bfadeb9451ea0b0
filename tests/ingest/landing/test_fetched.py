"""Application folders on a Hadoop file system, moved into a warehouse.

Here, Hadoop reads local folders. ``tests/capturing/test_landing.py`` has applications on HDFS.
"""

import json
from pathlib import Path

import pytest

from provhouse.ingest.landing.fetched_folders import fetch, localise
from provhouse.model.errors import BadInput, Busy
from provhouse.store.warehouse.layout import Layout

NAME = "0123456789abcdef"


def put(file: Path, text: str, *, complete: bool = True) -> None:
    """Write a file as an application does on HDFS, with its marker if it is complete."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    if complete:
        (file.parent / f"_{file.name}.complete").touch()


@pytest.fixture
def remote(tmp_path: Path) -> Path:
    """The address of a folder with one application, which has ended."""
    folder = tmp_path / "some where" / NAME
    put(folder / "block.json.2", "begun")
    put(folder / "block.json.10", "ended")
    put(folder / "block.json.11", "en", complete=False)
    put(folder / "3" / "rows" / "000000-1.parquet", "rows")
    put(folder / "3" / "rows" / "000001-1.parquet", "ro", complete=False)
    (folder / "_ended.complete").touch()
    return folder.parent


def test_the_last_complete_content_of_each_file_is_moved(remote: Path, tmp_path: Path) -> None:
    layout = Layout(tmp_path / "house")
    (folder,) = fetch(f"file:{remote}", layout)
    found = {str(file.relative_to(folder)): file.read_text() for file in folder.rglob("*.*")}
    assert found == {"block.json": "ended", "3/rows/000000-1.parquet": "rows"}
    assert folder == layout.captured / NAME
    assert list(remote.iterdir()) == []


@pytest.mark.long
def test_a_folder_that_was_moved_before_a_kill_is_not_moved_again(
    remote: Path, tmp_path: Path
) -> None:
    layout = Layout(tmp_path / "house")
    marker = layout.captured / "fetching" / f"{NAME}.copied"
    marker.parent.mkdir(parents=True)
    marker.touch()  # the folder itself was ingested since
    assert fetch(f"file:{remote}", layout) == []
    assert list(remote.iterdir()) == []
    assert not marker.exists()


@pytest.mark.long
def test_what_a_kill_has_left_of_a_moved_folder_is_removed(remote: Path, tmp_path: Path) -> None:
    """An object store removes the files of a folder one by one, the mark of its end early."""
    layout = Layout(tmp_path / "house")
    marker = layout.captured / "fetching" / f"{NAME}.copied"
    put(marker, "", complete=False)
    (remote / NAME / "_ended.complete").unlink()
    assert fetch(f"file:{remote}", layout) == []
    assert list(remote.iterdir()) == []
    assert not marker.exists()


@pytest.mark.long
def test_a_copy_that_was_killed_before_its_move_is_made_again(remote: Path, tmp_path: Path) -> None:
    layout = Layout(tmp_path / "house")
    put(layout.captured / "fetching" / NAME / "block.json", "half", complete=False)
    (folder,) = fetch(f"file:{remote}", layout)
    assert (folder / "block.json").read_text() == "ended"


@pytest.mark.long
def test_an_application_without_an_end_is_moved_only_by_its_own_address(
    remote: Path, tmp_path: Path
) -> None:
    layout = Layout(tmp_path / "house")
    (remote / NAME / "_ended.complete").unlink()
    with pytest.raises(Busy, match="drivers were lost"):
        fetch(f"file:{remote}", layout)
    (folder,) = fetch(f"file:{remote / NAME}", layout)
    assert (folder / "block.json").read_text() == "ended"
    with pytest.raises(BadInput, match="no captured application"):
        fetch(f"file:{remote}", layout)


def test_files_of_unfinished_writes_are_described_but_not_copied(tmp_path: Path) -> None:
    folder, layout = tmp_path / NAME, Layout(tmp_path / "house")
    write = {
        "state": "failed",
        "path": "hdfs://node:1/out%20put",
        "written": ["hdfs://node:1/out%20put/part"],
        "sources": [{"path": "s3a://bucket/orders/a.parquet", "root": "file:///here"}],
        "keyed": [],
        "taps": [{"folder": f"hdfs://node:1/landing/{NAME}/2/5", "sql": "s3a://text"}],
        "plan": {"scan": "s3a://bucket/orders"},
    }
    put(folder / "2" / "write.json", json.dumps(write))
    localise(folder, layout)
    found = json.loads((folder / "2" / "write.json").read_text())
    copies = layout.copies.as_uri()
    assert found == {
        **write,
        "path": f"{copies}/hdfs/node%3A1/out%20put",
        "written": [f"{copies}/hdfs/node%3A1/out%20put/part"],
        "sources": [{"path": f"{copies}/s3a/bucket/orders/a.parquet", "root": "file:///here"}],
        "taps": [{"folder": f"{folder.as_uri()}/2/5", "sql": "s3a://text"}],
    }
