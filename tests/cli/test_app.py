"""The command as a user starts it, where no server is needed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = ("pyspark", "pyarrow", "neo4j", "numba", "numpy", "delta", "deltalake")


def started(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run ``provhouse`` with its output in pipes."""
    return subprocess.run(
        [sys.executable, "-c", "from provhouse.cli.app import main; main()", *arguments],
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**os.environ, "PROVHOUSE_WAREHOUSE": "", **environment},
    )


def lines(text: str) -> list[str]:
    """The sentences of a message, each on its own line; no traceback is among them."""
    assert "Traceback" not in text
    return [line.removeprefix("provhouse: ").strip() for line in text.splitlines()]


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys; from provhouse.cli.app import run; run(['--help']);"
        f"print([name for name in {HEAVY} if name in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stderr == "[]\n"
    assert "Commands:" in done.stdout


def test_version() -> None:
    done = started("--version")
    assert done.returncode == 0
    assert done.stdout.startswith("provhouse ")


def test_no_command_shows_the_help() -> None:
    done = started()
    assert done.returncode == 2
    assert done.stdout == ""
    assert "Commands:" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nonsense"], "No such command 'nonsense'"),
        (["status", "--nonsense"], "No such option: --nonsense"),
        (["lineage"], "One item should be named, or a file of them with --items"),
        (["impact", "a", "--items", "f"], "One item should be named, or a file of them"),
        (["ingest", "t.csv", "--map", "from=x"], "--map does not accept 'from=x'"),
        (["ingest", "t.csv", "--scope", "op"], "--scope does not accept op"),
        (["lineage", "a", "--depth", "0"], "Invalid value for '--depth'"),
        (["lineage", "a", "--method", "best"], "Invalid value for '--method'"),
        (["lineage", "a", "--format", "xml"], "Invalid value for '--format'"),
        (["lineage", "a", "--where", "x"], "--where should be followed by NAME=VALUE"),
        (["lineage", "a", "--limit", "0"], "Invalid value for '--limit'"),
        (["lineage", "a", "--sinks"], "No such option: --sinks"),
        (["impact", "a", "--table", b"\xff\xfe"], "A table's name should be UTF-8"),
        (["path", "a"], "Missing argument 'TO'"),
        (["find", b"\xff\xfe"], "The text should be UTF-8"),
        (["lineage", b"\xff\xfe"], "An item's name should be UTF-8"),
        (["ingest"], "Missing argument 'FILES...'"),
        (["ingest", "f", "--theta", "1"], "Invalid value for '--theta'"),
        (["--set", "theta", "status"], "--set should be followed by NAME=VALUE"),
        (["--set", "=3", "status"], "--set should be followed by NAME=VALUE"),
        (["--set", "theta=x", "status"], "The setting theta is not a whole number"),
        (["--set", "colour=red", "status"], "There is no setting 'colour'"),
        (["cypher", "RETURN 1", "--param", "x"], "--param should be followed by NAME=VALUE"),
    ],
)
def test_wrong_usage(arguments: list[str], said: str, tmp_path: Path) -> None:
    done = started(*arguments, PROVHOUSE_WAREHOUSE=str(tmp_path))
    assert done.returncode == 2
    assert done.stdout == ""
    assert lines(done.stderr)[0].startswith(said)
    assert not list(tmp_path.iterdir())


def test_global_option_behind_the_command() -> None:
    done = started("status", "--warehouse", "w")
    assert done.returncode == 2
    assert lines(done.stderr)[1].endswith("provhouse --warehouse … status")


def test_settings_file_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "warehouse.toml").write_text("theta = = 3")
    done = started("--warehouse", str(tmp_path), "status")
    assert done.returncode == 2
    assert str(tmp_path / "warehouse.toml") in done.stderr


def test_a_link_that_leads_to_itself(tmp_path: Path) -> None:
    home = tmp_path / "link"
    home.symlink_to(home)
    done = started("up", PROVHOUSE_WAREHOUSE=str(tmp_path), PROVHOUSE_NEO4J_HOME=str(home))
    assert done.returncode == 5
    wanted, found = lines(done.stderr)
    assert str(home) in wanted
    assert found == "The machine says: Too many levels of symbolic links"


@pytest.mark.parametrize("content", [None, b"fine\n\xff\n"])
def test_items_that_cannot_be_read(content: bytes | None, tmp_path: Path) -> None:
    file = tmp_path / "names"
    if content is not None:
        file.write_bytes(content)
    done = started("--warehouse", str(tmp_path), "lineage", "--items", str(file))
    assert done.returncode == 4
    assert lines(done.stderr)[0] == f"{file} should hold one name a line, in UTF-8"


def test_out_that_cannot_be_written(tmp_path: Path) -> None:
    out = tmp_path / "no" / "such.json"
    done = started("--warehouse", str(tmp_path), "lineage", "a", "--out", str(out))
    assert done.returncode == 5
    assert lines(done.stderr)[0] == f"The result should be written to {out}"


@pytest.mark.parametrize(
    "arguments",
    [["cypher", "RETURN 1"], ["browser"], ["lineage", "a"], ["path", "a", "b"], ["find", "a"]],
)
def test_without_a_warehouse_nothing_is_started(arguments: list[str], tmp_path: Path) -> None:
    done = started("--warehouse", str(tmp_path / "w"), *arguments)
    assert done.returncode == 3
    assert str(tmp_path / "w") in done.stderr
    assert not list(tmp_path.iterdir())
