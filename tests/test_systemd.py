"""systemd accepts the units in docs/systemd. Their commands and settings exist."""

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from typer.main import get_command

from provhouse.cli.app import app
from provhouse.model.settings import Settings

FOLDER = Path(__file__).parent.parent / "docs" / "systemd"
UNITS = sorted(FOLDER.iterdir())
PROGRAMS = re.compile(r"/opt/provhouse/bin/\w+")


def test_the_units_are_valid(tmp_path: Path) -> None:
    """Each program is replaced by an existing one, because systemd checks that programs exist."""
    if not shutil.which("systemd-analyze"):
        pytest.skip("systemd-analyze is missing")
    for unit in UNITS:
        (tmp_path / unit.name).write_text(PROGRAMS.sub("/bin/true", unit.read_text()))
    done = subprocess.run(
        ["systemd-analyze", "verify", *(str(tmp_path / unit.name) for unit in UNITS)],
        capture_output=True,
        text=True,
    )
    about = [line for line in done.stderr.splitlines() if "provhouse" in line]
    assert (done.returncode, about) == (0, [])


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_commands_and_settings_in_units_exist(unit: Path) -> None:
    text = unit.read_text()
    settings = dict(re.findall(r"^Environment=(PROVHOUSE_\w+)=(.*)$", text, re.MULTILINE))
    Settings.load({}, settings)
    for line in re.findall(r"^ExecStart=(.*)$", text, re.MULTILINE):
        program, *arguments = shlex.split(line)
        if program.endswith("/provhouse"):
            with get_command(app).make_context("provhouse", arguments) as root:
                assert root._protected_args == ["ingest"]
        else:
            assert arguments == ["-m", "provhouse.serve"]
