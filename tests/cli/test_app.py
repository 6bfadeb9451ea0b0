"""The command line as a user starts it, in cases that need no server."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from provhouse.cli.app import run

HEAVY = ("pyspark", "pyarrow", "neo4j", "numba", "numpy", "delta", "deltalake")


def started(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run ``provhouse`` with pipes for its output."""
    return subprocess.run(
        [sys.executable, "-c", "from provhouse.cli.app import main; main()", *arguments],
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**os.environ, "PROVHOUSE_WAREHOUSE": "", **environment},
    )


def lines(text: str) -> list[str]:
    """Return the lines of a message; fail the test if any line belongs to a traceback."""
    assert "Traceback" not in text
    return [line.removeprefix("provhouse: ").strip() for line in text.splitlines()]


def test_help_imports_no_large_package() -> None:
    code = (
        "import sys; from provhouse.cli.app import run; run(['--help']);"
        f"print([name for name in {HEAVY} if name in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stderr == "[]\n"
    assert "Bring in:" in done.stdout


def test_version_is_shown() -> None:
    done = started("--version")
    assert done.returncode == 0
    assert done.stdout.startswith("provhouse ")


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["nonsense"], "No such command 'nonsense'"),
        (["status", "--nonsense"], "No such option: --nonsense"),
        (["lineage"], "No item is named"),
        (["impact", "a", "--items", "f"], "Both ITEM and --items are given"),
        (["ingest", "t.csv", "--map", "from=x"], "--map"),
        (["ingest", "t.csv", "--scope", "op"], "--scope"),
        (["lineage", "a", "--depth", "0"], "Invalid value for '--depth'"),
        (["lineage", "a", "--method", "best"], "Invalid value for '--method'"),
        (["lineage", "a", "--format", "xml"], "Invalid value for '--format'"),
        (["lineage", "a", "--where", "x"], "The value of --where is not of the form NAME=VALUE"),
        (["lineage", "a", "--limit", "0"], "Invalid value for '--limit'"),
        (["lineage", "a", "--sinks"], "No such option: --sinks"),
        (["impact", "a", "--table", b"\xff\xfe"], "A table's name is not UTF-8"),
        (["path", "a"], "Missing argument 'TO'"),
        (["find", b"\xff\xfe"], "The text is not UTF-8"),
        (["lineage", b"\xff\xfe"], "An item's name is not UTF-8"),
        (["ingest"], "Missing argument 'FILES...'"),
        (["ingest", ""], "A path is empty"),
        (["ingest", "s3a://b/x.csv"], "Cannot use s3a://b/x.csv"),
        (["--warehouse", "gs://b/w", "status"], "Cannot use gs://b/w"),
        (["ingest", "f", "--theta", "1"], "Invalid value for '--theta'"),
        (["--set", "theta", "status"], "The value of --set is not of the form NAME=VALUE"),
        (["--set", "=3", "status"], "The value of --set is not of the form NAME=VALUE"),
        (["--set", "theta=x", "status"], "theta"),
        (["--set", "colour=red", "status"], "colour"),
        (
            ["cypher", "RETURN 1", "--param", "x"],
            "The value of --param is not",
        ),
    ],
)
def test_wrong_usage_writes_nothing(
    arguments: list[str],
    problem: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("PROVHOUSE_WAREHOUSE", str(tmp_path))
    assert run([*map(os.fsdecode, arguments)]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert problem in " ".join(lines(printed.err))
    assert not list(tmp_path.iterdir())


def test_a_global_option_after_the_command_is_explained() -> None:
    done = started("status", "--warehouse", "w")
    assert done.returncode == 2
    assert lines(done.stderr)[1].endswith("provhouse --warehouse … status")


@pytest.mark.parametrize(
    ("arguments", "remedy"),
    [
        (["impact", "a", "--sources"], "An impact ends in sinks: use --sinks"),
        (["lineage", "a", "--sinks"], "A lineage ends in sources: use --sources"),
        (["lineage", "a", "--downstream"], "Use `provhouse impact`"),
        (["impact", "a", "--upstream"], "Use `provhouse lineage`"),
        (["find", "a", "--theta", "3"], "`provhouse ingest` has --theta"),
        (["lineage", "a", "--dept", "3"], "Similar: --depth"),
        (["path", "a", "b", "--nothing"], "See `provhouse path --help`"),
        (["what-if", "a"], "Name it with --delete: provhouse what-if --delete a"),
        (["what-if", "a b"], "Name it with --delete: provhouse what-if --delete NAME"),
        (["export", "dir", "a"], "Name it with --lineage: provhouse export --lineage a"),
        (["path", "a", "b", "c"], "See `provhouse path --help`"),
    ],
)
def test_a_wrong_option_or_argument_has_a_remedy(
    arguments: list[str], remedy: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(arguments) == 2
    problem, found = lines(capsys.readouterr().err)
    assert problem.startswith(("No such option", "Got unexpected extra argument"))
    assert "Possible options" not in problem
    assert found.startswith(remedy)


def test_an_invalid_settings_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "warehouse.toml").write_text("theta = = 3")
    done = started("--warehouse", str(tmp_path), "status")
    assert done.returncode == 2
    assert str(tmp_path / "warehouse.toml") in done.stderr


@pytest.mark.long
def test_a_link_to_itself_is_named(tmp_path: Path) -> None:
    home = tmp_path / "link"
    home.symlink_to(home)
    done = started("up", PROVHOUSE_WAREHOUSE=str(tmp_path), PROVHOUSE_NEO4J_HOME=str(home))
    assert done.returncode == 5
    problem, found = lines(done.stderr)
    assert str(home) in problem
    assert found == "Too many levels of symbolic links"


@pytest.mark.parametrize("content", [None, b"fine\n\xff\n"])
def test_an_unreadable_file_of_items_is_named(content: bytes | None, tmp_path: Path) -> None:
    file = tmp_path / "names"
    if content is not None:
        file.write_bytes(content)
    done = started("--warehouse", str(tmp_path), "lineage", "--items", str(file))
    assert done.returncode == 4
    assert lines(done.stderr)[0] == f"Cannot read names from {file}"


@pytest.mark.long
def test_an_unwritable_output_file_is_named(tmp_path: Path) -> None:
    out = tmp_path / "no" / "such.json"
    done = started("--warehouse", str(tmp_path), "lineage", "a", "--out", str(out))
    assert done.returncode == 5
    assert str(out) in lines(done.stderr)[0]


@pytest.mark.parametrize(
    "arguments",
    [["cypher", "RETURN 1"], ["browser"], ["lineage", "a"], ["path", "a", "b"], ["find", "a"]],
)
def test_nothing_is_started_without_a_warehouse(
    arguments: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["--warehouse", str(tmp_path / "w"), *arguments]) == 3
    assert str(tmp_path / "w") in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
