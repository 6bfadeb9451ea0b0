"""A writer that runs inside another writer of the same thread takes no lock of its own."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from provhouse.commit.single_writer import only_writer
from provhouse.model.errors import Busy
from provhouse.model.progress import Silent
from provhouse.model.settings import Settings


def begun(warehouse: Path) -> int:
    return (warehouse / "logs" / "writers.jsonl").read_text().count('"event": "begins"')


def test_a_writer_inside_a_writer_takes_no_lock(tmp_path: Path) -> None:
    settings = Settings(warehouse=tmp_path / "one")
    with only_writer(settings, Silent()):
        with only_writer(settings, Silent()):
            pass
        with pytest.raises(ValueError, match="inner"), only_writer(settings, Silent()):
            raise ValueError("inner")
        assert begun(settings.warehouse) == 1
    with only_writer(settings, Silent()):
        assert begun(settings.warehouse) == 2


def test_a_writer_of_another_warehouse_takes_its_own_lock(tmp_path: Path) -> None:
    one, other = (Settings(warehouse=tmp_path / name) for name in ("one", "other"))
    with only_writer(one, Silent()), only_writer(other, Silent()):
        assert (begun(one.warehouse), begun(other.warehouse)) == (1, 1)


def test_another_thread_is_another_writer(tmp_path: Path) -> None:
    settings = Settings(warehouse=tmp_path)

    def write() -> None:
        with only_writer(settings, Silent()):
            pass

    with only_writer(settings, Silent()), ThreadPoolExecutor(1) as threads, pytest.raises(Busy):
        threads.submit(write).result()
