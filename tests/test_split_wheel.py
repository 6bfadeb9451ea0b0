"""A release has two wheels: provhouse-capture, for the environment of a job, and the rest."""

import base64
import hashlib
import subprocess
import sys
from email.parser import Parser
from pathlib import Path
from zipfile import ZipFile

import pytest
from split_wheel import MODULES, split

from helpers.capture_package import copy_package

WHOLE = {
    "provhouse/__init__.py": "all",
    "provhouse/captures.py": "captures",
    "provhouse/warehouse.py": "warehouse",
    "provhouse/capturing/__init__.py": "",
    "provhouse/capturing/java/provhouse/capturing/Tap.java": "class Tap {}",
    "provhouse/capturing/provhouse-capture_4.0_2.13-0123456789ab.jar": "jar",
    "provhouse/capturing/compiling.py": "compiling",
    "provhouse/ingest/__init__.py": "",
    "provhouse-0.1.0.dist-info/licenses/LICENSE": "licence",
    "provhouse-0.1.0.dist-info/METADATA": "Metadata-Version: 2.4\nName: provhouse\nVersion: 0.1.0\n"
    "License-File: LICENSE\nRequires-Python: >=3.11\nRequires-Dist: duckdb==2.0.0\n\nA text",
    "provhouse-0.1.0.dist-info/WHEEL": "Wheel-Version: 1.0\n",
    "provhouse-0.1.0.dist-info/entry_points.txt": "[console_scripts]\n",
    "provhouse-0.1.0.dist-info/RECORD": "",
}
OF_CAPTURE = {
    "provhouse/__init__.py", "provhouse/captures.py", "provhouse/capturing/__init__.py",
    "provhouse/capturing/java/provhouse/capturing/Tap.java",
    "provhouse/capturing/provhouse-capture_4.0_2.13-0123456789ab.jar",
}  # fmt: skip
ALONE = """
import importlib, sys
sys.path.insert(0, sys.argv[1])
import provhouse
for name in sys.argv[2:]:
    importlib.import_module("provhouse." + name)
try:
    provhouse.open
except provhouse.Unavailable as error:
    print(error)
try:
    provhouse.capture(None, "warehouse").__enter__()
except provhouse.Unavailable as error:
    print(error)
try:
    provhouse.capture(None, landing="s3a://bucket/lineage", theta=9).__enter__()
except provhouse.UsageError as error:
    print(error)
"""
OF_SPARK = {"capturing.refused", "capturing.worker_function"}
"""The modules that import pyspark."""


@pytest.fixture
def wheels(tmp_path: Path) -> tuple[Path, Path]:
    """The wheel of everything else, and the wheel of provhouse-capture."""
    wheel = tmp_path / "provhouse-0.1.0-py3-none-any.whl"
    with ZipFile(wheel, "w") as opened:
        for name, content in WHOLE.items():
            opened.writestr(name, content)
    return wheel, split(wheel)


def _contents(wheel: Path) -> dict[str, str]:
    with ZipFile(wheel) as opened:
        return {name: opened.read(name).decode() for name in opened.namelist()}


def test_each_file_is_in_one_wheel(wheels: tuple[Path, Path]) -> None:
    rest, capture = (
        {name for name in _contents(each) if ".dist-info/" not in name} for each in wheels
    )
    assert capture == OF_CAPTURE
    assert rest == {name for name in WHOLE if ".dist-info/" not in name} - OF_CAPTURE
    assert wheels[1].name == "provhouse_capture-0.1.0-py3-none-any.whl"


def test_provhouse_depends_on_capture_which_depends_on_nothing(wheels: tuple[Path, Path]) -> None:
    found = [
        Parser().parsestr(
            next(text for name, text in _contents(wheel).items() if "METADATA" in name)
        )
        for wheel in wheels
    ]
    assert found[0].get_all("Requires-Dist") == ["provhouse-capture==0.1.0", "duckdb==2.0.0"]
    assert found[1].get_all("Requires-Dist") is None
    assert [each["Name"] for each in found] == ["provhouse", "provhouse-capture"]
    assert [each["Version"] for each in found] == ["0.1.0", "0.1.0"]
    assert [each["Requires-Python"] for each in found] == [">=3.11", ">=3.11"]


def test_a_wheel_records_its_files(wheels: tuple[Path, Path]) -> None:
    for wheel, info in zip(wheels, ("provhouse", "provhouse_capture"), strict=True):
        contents, name = _contents(wheel), f"{info}-0.1.0.dist-info/RECORD"
        lines = [line.rsplit(",", 2) for line in contents[name].splitlines()]
        assert {line[0] for line in lines} == contents.keys()
        for path, digest, size in lines[:-1]:
            content = contents[path].encode()
            assert int(size) == len(content)
            padded = digest.removeprefix("sha256=") + "="
            assert base64.urlsafe_b64decode(padded) == hashlib.sha256(content).digest()
        assert lines[-1] == [name, "", ""]


def test_only_the_wheel_of_everything_else_has_the_command(wheels: tuple[Path, Path]) -> None:
    assert ["entry_points.txt" in str(_contents(wheel).keys()) for wheel in wheels] == [True, False]
    assert all("licenses/LICENSE" in str(_contents(wheel).keys()) for wheel in wheels)


def test_its_modules_need_only_pythons_own_library(tmp_path: Path) -> None:
    """Python's option ``-I`` hides all installed packages, and provhouse's other modules."""
    names = [name for name in MODULES if name not in OF_SPARK]
    python = Path(sys.base_prefix) / "bin" / "python3"
    given = [python, "-I", "-S", "-c", ALONE, copy_package(tmp_path), *names]
    done = subprocess.run([*map(str, given)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("Only provhouse-capture is installed\n") == 2
    assert "A block with landing has no theta\n" in done.stdout
