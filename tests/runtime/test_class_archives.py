"""Java starts from an archive of classes where there is one, and without one where not."""

import os
import subprocess
from pathlib import Path

import pytest

from provhouse.cypher.process import java_command
from provhouse.runtime.class_archives import PROGRAMS, has_archive, options, recording

SHARED = "source: shared objects file (top)"


def loaded(*options: str) -> str:
    """Which classes Neo4j's own tool loads to tell its version, and from where."""
    command = [one for one in java_command("64m", *options) if one != "-Xlog:disable"]
    done = subprocess.run(
        [*command, "org.neo4j.cli.AdminTool", "--version"],
        env={**os.environ, "NEO4J_HOME": "/", "NEO4J_CONF": "/"},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return done.stdout


def test_neo4j_starts_from_its_archive() -> None:
    assert all(has_archive(program) for program in PROGRAMS), "made by `make setup`"
    assert loaded("-Xlog:class+load").count(SHARED) > 100


def test_without_an_archive_it_starts_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("provhouse.runtime.class_archives._file", lambda program: tmp_path / "none")
    assert options("neo4j") == []
    assert SHARED not in loaded("-Xlog:class+load")


def test_one_that_is_no_archive_does_no_harm(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "broken").write_bytes(b"no archive" * 1000)
    monkeypatch.setattr(
        "provhouse.runtime.class_archives._file", lambda program: tmp_path / "broken"
    )
    assert SHARED not in loaded("-Xlog:class+load")


def test_an_archive_appears_when_the_program_has_ended(
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
