"""The file for a result appears only when the result is complete."""

import os
import stat
from contextlib import suppress
from pathlib import Path

import pytest

from provhouse.model.errors import Unavailable
from provhouse.output.file import destination


def test_a_file_appears_when_it_is_complete(tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    with destination(out) as handle:
        handle.write("é\n")
        assert not out.exists()
    assert out.read_bytes() == b"\xc3\xa9\n"
    assert os.listdir(tmp_path) == ["out.json"]


def test_a_failure_keeps_the_old_file(tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    out.write_text("old")
    with suppress(ValueError), destination(out) as handle:
        handle.write("new")
        raise ValueError
    assert out.read_text() == "old"
    assert os.listdir(tmp_path) == ["out.json"]


def test_a_link_and_the_mode_of_its_target_are_kept(tmp_path: Path) -> None:
    real = tmp_path / "real"
    real.write_text("old")
    real.chmod(0o640)
    link = tmp_path / "link"
    link.symlink_to(real)
    with destination(link) as handle:
        handle.write("new")
    assert link.is_symlink()
    assert real.read_text() == "new"
    assert stat.S_IMODE(real.stat().st_mode) == 0o640


def test_a_device_is_written_to_and_not_replaced() -> None:
    with destination(Path(os.devnull)) as handle:
        handle.write("x")
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)


@pytest.mark.parametrize("name", ["no/such/file", ""])
def test_a_bad_destination_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="Cannot write to"), destination(tmp_path / name):
        pass
