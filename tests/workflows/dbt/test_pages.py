"""The step of GitHub on the page about pull requests of a dbt project runs as typed."""

import os
import re
import shutil
from pathlib import Path

import pytest

from helpers.dbt_shop import TARGETS
from helpers.pages import blocks, shell

CHANGED = "changed"


def pull_request(folder: Path, edit: str) -> None:
    """Write the target of the pull request and that of the main branch, where the page has them."""
    shutil.copytree(TARGETS / "base", folder / "main" / "target")
    shutil.copytree(TARGETS / edit, folder / "target")


@pytest.mark.long
def test_a_pull_request_builds_only_what_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The step of GitHub runs as typed, with a `dbt` that writes down how it is called."""
    monkeypatch.chdir(tmp_path)
    pull_request(tmp_path, CHANGED)
    (block,) = blocks("dbt.md", "yaml")
    steps = re.split(r"^- ", block, flags=re.MULTILINE)[1:]
    script = steps[-1].removeprefix("run: |\n")
    (tmp_path / "bin").mkdir()
    dbt = tmp_path / "bin" / "dbt"
    dbt.write_text('#!/bin/sh\necho "$@" > built\n')
    dbt.chmod(0o755)
    monkeypatch.setenv("PATH", f"{dbt.parent}{os.pathsep}{os.environ['PATH']}")
    shell(script, GITHUB_STEP_SUMMARY=str(tmp_path / "summary.md"))
    called = (tmp_path / "built").read_text().split()
    assert called[:5] == ["build", "--defer", "--state", "main/target", "--select"]
    assert {"stg_orders", "users", "visits_by_customer", "new_customers"} <= {*called[5:]}
    assert "orders_by_customer" not in called
    assert "users" in (tmp_path / "summary.md").read_text()
