"""Commands on a machine that lacks Java or another requirement end with exit status 5.

The commands print a message with a remedy and change nothing.
"""

import stat
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from helpers.command import Command


def fake_java(folder: Path, says: str) -> Path:
    """Write a Java runtime that only prints its modules."""
    executable = folder / "bin" / "java"
    executable.parent.mkdir(parents=True)
    executable.write_text(f"#!/bin/sh\nprintf '{says}'\n")
    executable.chmod(0o755)
    return folder


@pytest.mark.long
@pytest.mark.parametrize(
    ("says", "found"),
    [
        (None, "which contains no bin/java"),
        pytest.param(
            "java.base@11.0.2\\njava.sql@11.0.2\\n", "is Java 11.0.2", marks=pytest.mark.long
        ),
        pytest.param(
            "java.base@17.0.9\\n",
            "is Java 17.0.9 without its module jdk.incubator.vector",
            marks=pytest.mark.long,
        ),
    ],  # tests/runtime/test_java.py covers every reason
)
def test_an_unusable_java_is_refused(
    says: str | None,
    found: str,
    stored: Command,
    unchanged: Callable[[], None],
    first_file: Path,
    tmp_path: Path,
) -> None:
    """An ingest into a new warehouse is refused if Java is unusable.

    If the folder in JAVA_HOME is missing, an ingest into an existing warehouse is refused, too, and
    so is a question.
    """
    home = tmp_path / "jdk" if says is None else fake_java(tmp_path / "jdk", says)
    environment = {"JAVA_HOME": str(home)}
    new = Command(tmp_path / "warehouse", None, environment)
    existing = replace(stored, settings=environment, by=None)
    ingest: tuple[object, ...] = ("ingest", first_file)
    commands = [(new, ingest)]
    if says is None:
        commands += [(existing, ingest), (existing, ("lineage", "report"))]
    for command, arguments in commands:
        done = command(*arguments, status=5)
        assert "need a Java 17 or 21 runtime" in done.message
        assert found in done.message
        assert "apt install openjdk-17-jre-headless" in done.message
        assert done.out == ""
    assert not new.warehouse.exists()
    unchanged()


@pytest.mark.long  # tests/runtime/test_java.py has a quicker form
def test_a_missing_java_is_reported(first_file: Path, tmp_path: Path) -> None:
    command = Command(tmp_path / "w", None, {"JAVA_HOME": "", "PATH": str(tmp_path)})
    done = command("ingest", first_file, status=5)
    assert "No java was found on PATH, and JAVA_HOME is not set" in done.message
    assert not command.warehouse.exists()


@pytest.mark.long
def test_missing_jars_are_reported(first_file: Path, tmp_path: Path) -> None:
    command = Command(tmp_path / "w", None, {"XDG_CACHE_HOME": str(tmp_path / "cache")})
    done = command("ingest", first_file, status=5)
    assert "provhouse doctor --fetch" in done.message
    assert not command.warehouse.exists()


@pytest.mark.long  # tests/cli/commands/test_doctor.py has a quicker form
@pytest.mark.parametrize("below", ["", "below"])
def test_an_unwritable_warehouse_is_reported(below: str, first_file: Path, tmp_path: Path) -> None:
    """Not even root can create the warehouse, because a file is at its path."""
    (tmp_path / "file").write_text("mine")
    command = Command(tmp_path / "file" / below if below else tmp_path / "file")
    done = command("ingest", first_file, status=5)
    assert str(command.warehouse) in done.message
    assert "--warehouse" in done.message
    assert command("lineage", "report", status=3).message
    assert command("status").out
    assert (tmp_path / "file").read_text() == "mine"


@pytest.mark.long
def test_a_wrong_password_of_neo4j_is_reported(alone: Command, first_file: Path) -> None:
    """Commands fail with a wrong password, and work again with the right one."""
    alone.keep_neo4j()
    password = alone.warehouse / "neo4j" / "password"
    assert stat.S_IMODE(password.stat().st_mode) == 0o600
    right = password.read_text()
    password.write_text("something else\n")
    for arguments in (("up",), ("ingest", first_file)):
        done = alone(*arguments, status=5)
        assert str(password) in done.message
        assert "something else" not in done.err
    password.unlink()
    assert str(password) in alone("up", status=5).message
    assert not list(alone.warehouse.glob("commits/*"))
    password.write_text(right)
    assert "Neo4j is running" in alone("up").out
    assert alone("down").out == "The server is stopped.\nNeo4j is stopped.\n"


def test_an_unwritable_output_file_is_reported(stored: Command, tmp_path: Path) -> None:
    """An output file that cannot be written is reported before anything is started."""
    done = stored("lineage", "report", "--out", tmp_path / "no" / "where.json", status=5)
    assert "where.json" in done.message
