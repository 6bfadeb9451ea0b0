"""``typings`` links to all packages, pyproject.toml lists them, and lock files are complete.

The folder ``X`` is the package ``provhouse.X``, with one exception: ``api`` is ``provhouse``
itself.
"""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
SETUPTOOLS = PROJECT["tool"]["setuptools"]
FOLDERS = set(SETUPTOOLS["package-dir"].values())
API = "api"


def package(folder: str) -> str:
    """Return the name of the package in a top-level folder."""
    return "provhouse" if folder == API else f"provhouse.{folder}"


def test_every_package_is_shipped() -> None:
    inits = [init.parent for folder in FOLDERS for init in (ROOT / folder).rglob("__init__.py")]
    paths = [init.relative_to(ROOT).parts for init in inits]
    found = {".".join([package(top), *below]) for top, *below in paths}
    assert found == set(SETUPTOOLS["packages"])


def test_a_folder_is_the_package_of_its_name_and_is_marked_as_typed() -> None:
    assert SETUPTOOLS["package-dir"] == {package(folder): folder for folder in FOLDERS}
    assert [folder for folder in FOLDERS if not (ROOT / folder / "py.typed").exists()] == []


def test_every_data_file_is_shipped() -> None:
    shipped = {
        file
        for folder in FOLDERS
        for pattern in SETUPTOOLS["package-data"]["*"]
        for file in (ROOT / folder).rglob(pattern)
    }
    others = {
        file
        for folder in FOLDERS
        for file in (ROOT / folder).rglob("*")
        if file.is_file() and file.suffix != ".py" and "__pycache__" not in file.parts
    }
    assert others - shipped == set()


def test_static_tools_see_every_package() -> None:
    links = {link.name: link.resolve() for link in (ROOT / "typings" / "provhouse").iterdir()}
    modules = {file.name: file for file in (ROOT / API).iterdir() if file.is_file()}
    assert links == {folder: ROOT / folder for folder in FOLDERS - {API}} | modules


def test_every_package_has_a_layer() -> None:
    layered = PROJECT["tool"]["importlinter"]["contracts"][0]["layers"]
    layers = {name.strip() for layer in layered for name in layer.split("|")}
    assert {name for name in layers if not name.startswith("(")} == FOLDERS - {API}


@pytest.mark.parametrize(
    "name",
    [
        "locks/dev.lock",
        "locks/run.lock",
        "locks/base.lock",
        "locks/build.lock",
        "locks/bench.lock",
        "locks/containers.lock",
    ],
)
def test_a_lock_has_versions_and_hashes_but_no_addresses(name: str) -> None:
    lock = (ROOT / name).read_text(encoding="utf-8")
    assert "://" not in lock
    assert "--index" not in lock
    for requirement in re.sub(r"\\\n", "", lock).strip().splitlines():
        assert re.match(r"[a-z0-9.-]+==\S+ ", requirement), requirement
        assert "--hash=sha256:" in requirement, requirement


def test_the_lock_has_every_direct_dependency() -> None:
    lock = (ROOT / "locks/dev.lock").read_text(encoding="utf-8")
    locked = set(re.findall(r"^([a-z0-9.-]+)==", lock, re.MULTILINE))
    project = PROJECT["project"]
    direct = [
        *project["dependencies"],
        *(each for extra in ("demo", "prov", "prove", "team") for each in _needed(extra)),
        *PROJECT["dependency-groups"]["dev"],
    ]
    names = {re.split(r"[<>=~\[]", requirement)[0] for requirement in direct}
    assert names - locked == set()


def _needed(extra: str) -> Iterator[str]:
    """Yield the requirements of an extra, and of the extras of provhouse that it includes."""
    for requirement in PROJECT["project"]["optional-dependencies"][extra]:
        if included := re.fullmatch(r"provhouse\[(\w+)\]", requirement):
            yield from _needed(included[1])
        else:
            yield requirement


def test_the_lock_of_benchmarks_has_the_same_versions() -> None:
    ours, peers = (
        dict(re.findall(r"^([a-z0-9.-]+)==(\S+)", (ROOT / name).read_text("utf-8"), re.MULTILINE))
        for name in ("locks/dev.lock", "locks/bench.lock")
    )
    shared = ours.keys() & peers.keys()
    assert "numpy" in shared
    assert {name: peers[name] for name in shared} == {name: ours[name] for name in shared}
