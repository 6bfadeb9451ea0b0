"""Fixtures: a warehouse stored in the first released format, and the files it was made from."""

import shutil
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from helpers.warehouse import House
from provhouse.care.repair import repair
from provhouse.model.progress import Silent

Houses = Callable[..., House]
KEPT = Path(__file__).parent / "kept"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of the archived warehouse, unpacked."""
    folder = tmp_path_factory.mktemp("kept")
    with tarfile.open(KEPT / "format-1.tar.xz") as archive:
        archive.extractall(folder, filter="data")
    return folder


@pytest.fixture(scope="module")
def kept(files: Path, houses: Houses, tmp_path_factory: pytest.TempPathFactory) -> House:
    """A warehouse of format 1, opened by the current version."""
    folder = tmp_path_factory.mktemp("opened") / "warehouse"
    shutil.copytree(files / "warehouse", folder)
    house = houses(warehouse=folder, theta=10, partition_triples=50)
    repair(house.settings, Silent())
    return house
