"""Files that match a path but that an ingest does not read are listed in the error."""

from pathlib import Path

import pytest
from deltalake import write_deltalake
from pyarrow import table

from provhouse.ingest.formats.discover import sources
from provhouse.ingest.formats.passed_over import check_complete, passed_over
from provhouse.model.errors import BadInput, UsageError

FILES = ("a.csv", "b.avro", "_f.csv", "d/c.txt", "_old/deep/g.csv", "_old/h.txt")
QUIET = (".hidden.csv", "_SUCCESS", ".part.crc", "_committed_12", ".git/config", "_metadata")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name in (*FILES, *QUIET):
        path = tmp_path / "t" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "t" / "linked").symlink_to(tmp_path / "elsewhere")
    write_deltalake(tmp_path / "t" / "lake", table({"src": ["a"], "dst": ["b"]}))
    return tmp_path / "t"


def missed(root: Path, path: Path, form: str | None = None) -> list[str]:
    read = [source.path for source in sources([path], form)]
    return [str(Path(p).relative_to(root)) for p in passed_over([path], form, read)]


def test_every_file_that_is_not_read_is_found_except_hidden_and_bookkeeping(tree: Path) -> None:
    left = ["_f.csv", "_old/deep/g.csv", "_old/h.txt", "b.avro", "d/c.txt", "linked"]
    assert missed(tree, tree) == left
    assert missed(tree, tree, "csv") == ["_f.csv", "_old/deep/g.csv", "_old/h.txt", "linked"]
    assert missed(tree, tree / "*.*") == ["_f.csv", "b.avro"]
    assert missed(tree, tree / "a.csv") == []
    assert missed(tree, tree / "lake") == []


def test_strict_names_them(tree: Path) -> None:
    check_complete([])
    with pytest.raises(BadInput, match=r"2 files in the folders would be passed over\n.*b\.avro"):
        check_complete(["a.txt", "b.avro"])


def test_an_address_is_no_input() -> None:
    with pytest.raises(UsageError, match=r"s3a://bucket/x\.csv"):
        sources([Path("s3a://bucket/x.csv")], None)
