"""Java starts from a class archive if one exists, and starts without it otherwise."""

import os
import subprocess
from pathlib import Path

import pytest

from provhouse.cypher.neo4j_process import java_command
from provhouse.runtime.class_archives import PROGRAMS, has_archive, options, recording

SHARED = "source: shared objects file (top)"


def loaded(*options: str) -> str:
    """Return Java's log from a run in which Neo4j's own tool prints its version."""
    command = [one for one in java_command("64m", *options) if one != "-Xlog:disable"]
    done = subprocess.run(
        [*command, "org.neo4j.cli.AdminTool", "--version"],
        env={**os.environ, "NEO4J_HOME": "/", "NEO4J_CONF": "/"},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return done.stdout


@pytest.mark.long
def test_neo4j_starts_from_its_archive() -> None:
    assert all(has_archive(program) for program in PROGRAMS), "made by `make setup`"
    assert loaded("-Xlog:class+load").count(SHARED) > 100


@pytest.mark.long
def test_java_starts_without_an_archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("provhouse.runtime.class_archives._file", lambda program: tmp_path / "none")
    assert options("neo4j") == []
    assert SHARED not in loaded("-Xlog:class+load")


@pytest.mark.long
def test_a_broken_archive_is_ignored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "broken").write_bytes(b"no archive" * 1000)
    monkeypatch.setattr(
        "provhouse.runtime.class_archives._file", lambda program: tmp_path / "broken"
    )
    assert SHARED not in loaded("-Xlog:class+load")


@pytest.mark.long
def test_an_archive_is_written_when_the_program_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "provhouse.runtime.class_archives._file", lambda program: tmp_path / "a" / "made"
    )
    with recording("neo4j"):
        loaded()
        assert not has_archive("neo4j")
    assert has_archive("neo4j")
    assert loaded("-Xlog:class+load").count(SHARED) > 100
