"""The files in docker/ are consistent with provhouse's packages, locks and settings.

`make containers` lints the files with hadolint and checks compose files against the published
schema.
"""

import re
import tomllib
from dataclasses import fields
from pathlib import Path

import pytest

from provhouse.model.settings import PREFIX, Settings

ROOT = Path(__file__).parents[2]
DOCKER = ROOT / "docker"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def versions(lock: str) -> dict[str, str]:
    """Return the version of each package in a lock file, by package name."""
    text = (ROOT / lock).read_text(encoding="utf-8")
    return dict(re.findall(r"^([a-z0-9.-]+)==(\S+)", text, re.MULTILINE))


def test_the_image_has_the_versions_that_are_tested() -> None:
    ours, image = versions("locks/dev.lock"), versions("locks/run.lock")
    assert {name: ours.get(name) for name in image} == image


def test_the_image_has_every_dependency_and_no_tool_of_developers() -> None:
    image = versions("locks/run.lock").keys()
    direct = {re.split(r"[<>=~\[]", wanted)[0] for wanted in PROJECT["project"]["dependencies"]}
    assert direct - image == set()
    assert image & {"pytest", "mypy", "ruff", "setuptools", "uv"} == set()


def test_the_image_is_built_from_every_package_and_no_other_folder() -> None:
    lines = (DOCKER / "Dockerfile.dockerignore").read_text(encoding="utf-8").splitlines()
    admitted = {line[1:] for line in lines if line.startswith("!")}
    folders = {name for name in admitted if (ROOT / name).is_dir()}
    assert "*" in lines
    assert folders == set(PROJECT["tool"]["setuptools"]["package-dir"].values())
    assert [name for name in admitted if not (ROOT / name).exists()] == []


@pytest.mark.parametrize(
    "name",
    [
        "Dockerfile",
        "compose.yaml",
        "compose.cluster.yaml",
        "compose.neo4j.yaml",
        "compose.tls.yaml",
        "entrypoint.sh",
        "kubernetes.yaml",
    ],
)
def test_settings_exist(name: str) -> None:
    known = {PREFIX + field.name.upper() for field in fields(Settings)}
    used = set(re.findall(rf"\b{PREFIX}[A-Z0-9_]+", (DOCKER / name).read_text(encoding="utf-8")))
    assert used
    assert used - known == set()


def test_the_server_has_one_port_in_all_files() -> None:
    texts = [(DOCKER / name).read_text(encoding="utf-8") for name in ("Dockerfile", "compose.yaml")]
    page = (ROOT / "docs" / "containers.md").read_text(encoding="utf-8")
    named = [re.search(r"SERVER_PORT[=: ]+\"?(\d+)", text) for text in texts]
    ports = {found[1] for found in named if found} | set(re.findall(r"127\.0\.0\.1:(\d+)", page))
    assert ports == {"8642"}
