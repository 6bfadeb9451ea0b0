"""Random arguments: each call ends with a documented exit status, and never with a traceback.

`PROVHOUSE_FUZZ=7000 pytest tests/cli/test_fuzz.py -s` makes 14,000 calls.
"""

import os
import random
from pathlib import Path

import pytest
from typer.core import TyperGroup
from typer.main import get_command

from helpers.fuzzed import fuzzed
from helpers.hostile import HOSTILE, harmless
from provhouse.cli.app import app, run

CALLS = 2 * int(os.environ.get("PROVHOUSE_FUZZ", "25"))
SEED = int(os.environ.get("PROVHOUSE_FUZZ_SEED", "0"))
STARTING = {"up", "down", "browser", "doctor"}  # these start servers, and take hardly any arguments
GIVEN = (
    "0", "-1", "1", "9" * 30, "1e3", "2026-01-01", "2026-13-45T99:99", "json", "csv", "table",
    "auto", "rq", "a=b", "=b", "theta=1", "theta=x", "src=a,dst=b", "src=", "", "--", "-", "\udcff",
)  # fmt: skip


def words() -> tuple[list[str], list[str]]:
    """Return the names of the commands to try, and the names of all options."""
    group = get_command(app)
    assert isinstance(group, TyperGroup)
    options = {
        name for command in group.commands.values() for one in command.params for name in one.opts
    }
    kept = sorted(name for name in options if name.startswith("-") and name != "--out")
    return sorted(set(group.commands) - STARTING), [*kept, "--warehouse", "--set"]


def arguments(chance: random.Random) -> list[str]:
    commands, options = words()
    values = [value.replace("\0", "") for value in HOSTILE[:-1]]

    def some(most: int) -> list[str]:
        return [
            word
            for _ in range(chance.randint(0, most))
            for word in (chance.choice(options), chance.choice((*GIVEN, *values)))[
                chance.randint(0, 1) : chance.choice((1, 2, 2, 2))
            ]
        ]

    before = some(1) if chance.random() < 0.2 else []
    return [*before, chance.choice(commands), *some(4)]


@pytest.mark.long
def test_random_arguments_end_with_a_known_status(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PROVHOUSE_WAREHOUSE", "w")
    with fuzzed("command line") as ends:
        for number in range(CALLS):
            given = arguments(random.Random(f"{SEED} call {number}"))
            status = run(given)
            out, err = capsys.readouterr()
            told = f"seed {SEED}, call {number}: {given!r}\n{err}"
            assert status in (0, 2, 3, 4, 5), told
            assert "Traceback" not in err + out, told
            assert harmless(err), told
            ends[f"exit {status}"] += 1
    assert {"exit 2", "exit 3"} <= set(ends)
