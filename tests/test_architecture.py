"""ARCHITECTURE.md shows the packages in the layers of pyproject.toml, and links to real files."""

import re
import tomllib
from collections import defaultdict
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
FOLDERS = set(PROJECT["tool"]["setuptools"]["package-dir"].values())
SAME_NAME = {"Column", "Connection", "Filters", "Records", "Values"}
"""Public classes that mean different things in two packages."""
WRAPPED = {
    "Alternatives", "Answer", "Change", "Counts", "Dependency", "Diff", "Evaluation", "Explanation",
    "Finding", "Paths", "Subgraph", "WhatIf", "WhatIfEach", "Why", "WhyChanged",
}  # fmt: skip
"""Answers of ``api`` with the name of the class that they wrap."""
SAME_FILE = {
    "blame.py", "check.py", "compact.py", "diff.py", "evaluation.py", "executions.py", "export.py",
    "forget.py", "ingest.py", "modules.py", "operations.py", "path.py", "prune.py", "repair.py",
    "retract.py", "reuse.py", "revisions.py", "rollback.py", "status.py", "tidy.py", "values.py",
    "what_if.py", "what_if_each.py", "why.py", "why_changed.py",
}  # fmt: skip
"""Files of one name in several folders: the command, the answer and the result of one question."""


def _drawn() -> list[set[str]]:
    """Return the packages on each line of the diagram in ARCHITECTURE.md, from the top."""
    found = re.search(r"<!-- packages -->\n```\n(.*?)```", TEXT, re.DOTALL)
    assert found
    return [set(line[:38].split()) for line in found[1].splitlines()]


def _layers() -> list[set[str]]:
    contract = PROJECT["tool"]["importlinter"]["contracts"][0]
    layers: list[set[str]] = []
    for layer in contract["layers"]:
        # The folder ``api`` is the package ``provhouse`` itself. Its modules are in parentheses.
        names = {"api" if "(" in name else name.strip() for name in re.split("[|:]", layer)}
        if names not in layers:
            layers.append(names)
    return layers


def test_the_drawing_shows_the_layers_in_their_order() -> None:
    assert _drawn() == _layers()


def test_every_package_is_drawn() -> None:
    assert set().union(*_drawn()) == FOLDERS


def test_every_linked_file_exists() -> None:
    links = re.findall(r"\]\(([\w/.-]+)\)", TEXT)
    assert len(links) > 10
    assert [link for link in links if not (ROOT / link).exists()] == []


def _java_packages() -> list[set[str]]:
    """Return the Java packages on each line of the Java diagram, from the top."""
    found = re.search(r"```\nprovhouse\.capturing  .*?```", TEXT, re.DOTALL)
    assert found
    return [set(line[:24].split()) for line in found[0].splitlines()[1:-1]]


def test_java_packages_import_only_packages_below_them() -> None:
    root = ROOT / "capturing" / "java" / "provhouse" / "capturing"
    files = list((ROOT / "capturing" / "java").rglob("*.java"))
    layers = _java_packages()
    assert {file.parent.name for file in files} == {"capturing"}.union(*layers[1:])
    for number, layer in enumerate(layers):
        for file in files:
            if file.parent.name in layer or (number == 0 and file.parent == root):
                text = file.read_text(encoding="utf-8")
                used = set(re.findall(r"^import provhouse\.capturing\.(\w+)", text, re.MULTILINE))
                assert used - {"Unsupported"} <= set().union(*layers[number + 1 :]), file


def _modules() -> list[Path]:
    return sorted(file for folder in FOLDERS for file in (ROOT / folder).rglob("*.py"))


@pytest.mark.parametrize("file", _modules(), ids=lambda file: str(file.relative_to(ROOT)))
def test_every_module_begins_with_a_docstring(file: Path) -> None:
    first = file.read_text(encoding="utf-8").partition("\n")[0]
    assert re.match(r'"""[A-Z0-9`].{15,}', first), first


def test_packages_define_no_public_classes_of_one_name() -> None:
    packages = defaultdict(set)
    for file in _modules():
        text = file.read_text(encoding="utf-8")
        for name in re.findall(r"^class ([A-Z]\w*)", text, re.MULTILINE):
            packages[name].add(file.relative_to(ROOT).parts[0])
    shared = {name for name, found in packages.items() if len(found) > 1}
    assert shared == SAME_NAME | WRAPPED


def test_files_of_one_name_belong_to_one_question() -> None:
    folders = defaultdict(set)
    for file in _modules():
        folders[file.name].add(file.parent)
    shared = {name for name, found in folders.items() if len(found) > 1}
    assert shared - {"__init__.py"} == SAME_FILE
