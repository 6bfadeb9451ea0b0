"""Java and Python, which both define the format of association files, agree on it."""

import re
from pathlib import Path

import pytest

from provhouse.capturing import row_by_row, worker_function
from provhouse.model import associations

ROOT = Path(__file__).parents[2]
JAVA = ROOT / "capturing" / "java" / "provhouse" / "capturing"
NAMES = ("FORM", "COPYING", "ENDING", "MATCHING", "NONE", "NULL_GROUP", "ROWS", "ROW_BITS")
FOLDERS = ("capturing", "ingest/landing", "model/associations.py")
"""The parts of the code in which these names have no other meaning."""


def _java(file: str, name: str) -> str:
    text = (JAVA / file).read_text(encoding="utf-8")
    found = re.search(rf"static final \w+ {name} = (.+);", text)
    assert found, name
    return found[1]


@pytest.mark.parametrize("name", NAMES)
def test_java_has_the_same_value(name: str) -> None:
    value = _java("taps/Form.java", name).replace("Long.MIN_VALUE", str(-(1 << 63)))
    left, _, right = value.partition(" + ")
    assert int(left) + int(right or 0) == getattr(associations, name)


@pytest.mark.parametrize("name", NAMES)
def test_each_value_is_defined_once_in_each_language(name: str) -> None:
    assert _definitions("*.java", rf"static final (int|long) {name} =") == ["Form.java"]
    assert _definitions("*.py", rf"^_?{name}(: \w+)? = ") == ["associations.py"]


def _definitions(files: str, pattern: str) -> list[str]:
    paths = [ROOT / each for each in FOLDERS]
    every = [file for path in paths for file in (path, *path.rglob(files)) if file.match(files)]
    return [
        file.name
        for file in every
        if re.search(pattern, file.read_text(encoding="utf-8"), re.MULTILINE)
    ]


def test_workers_and_rules_agree_on_names() -> None:
    marked, slot = (_java("rules/PythonMaps.java", name) for name in ("MARKED", "SLOT"))
    assert marked == f'"{row_by_row.MARKED}"'
    assert slot == f'"{row_by_row.SLOT}"' == f'"{worker_function.SLOT}"'
    assert _java("rules/PythonGroups.java", "NAME") == f'"{worker_function.NAME}"'
