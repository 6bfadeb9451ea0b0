"""A result's file is there whole or not at all."""

import os
import stat
from contextlib import suppress
from pathlib import Path

import pytest

from provhouse.model.errors import Unavailable
from provhouse.output.file import destination


def test_appears_at_the_end(tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    with destination(out) as handle:
        handle.write("é\n")
        assert not out.exists()
    assert out.read_bytes() == b"\xc3\xa9\n"
    assert os.listdir(tmp_path) == ["out.json"]


def test_a_failure_leaves_what_was_there(tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    out.write_text("old")
    with suppress(ValueError), destination(out) as handle:
        handle.write("new")
        raise ValueError
    assert out.read_text() == "old"
    assert os.listdir(tmp_path) == ["out.json"]


def test_a_link_and_its_mode_stay(tmp_path: Path) -> None:
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
def test_a_place_that_takes_no_file(name: str, tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="should be written"), destination(tmp_path / name):
        pass
