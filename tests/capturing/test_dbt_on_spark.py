"""A project that dbt-spark builds in a session is captured by configuration, as its page states."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from helpers.dbt_shop import ROOT

ENVIRONMENT = ROOT / ".long" / "dbt-spark"
ROWS = {"orders/1", "orders/3", "raw_orders/1", "raw_orders/3"}
"""The rows behind the total of ann: her orders of more than 400 cents, and those of the seed."""


def _installed() -> Path:
    """Install dbt-spark and Spark into an environment of their own; return its folder ``bin``."""
    if not (ENVIRONMENT / "bin" / "dbt").exists():
        uv = str(Path(sys.executable).with_name("uv"))
        subprocess.run([uv, "venv", "--quiet", "--allow-existing", ENVIRONMENT], check=True)
        install = [
            uv,
            "pip",
            "install",
            "--quiet",
            "--python",
            str(ENVIRONMENT),
            "--require-hashes",
        ]
        for lock in ("build", "dbt-spark"):  # PySpark is built from source
            file = ["--no-build-isolation", "-r", str(ROOT / f"locks/{lock}.lock")]
            subprocess.run([*install, *file], check=True)
    return ENVIRONMENT / "bin"


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_the_commands_of_the_page_capture_rows_of_dbt_on_spark(
    tmp_path: Path, graph_home: Path
) -> None:
    page = (ROOT / "docs/dbt-lineage.md").read_text(encoding="utf-8")
    script = re.findall(r"^```sh\n(.*?)^```$", page.partition("\n## On Spark\n")[2], re.M | re.S)[0]
    path = f"{_installed()}:{Path(sys.executable).parent}:{os.environ['PATH']}"
    given = {
        "PATH": path,
        "PROVHOUSE_NEO4J_HOME": str(graph_home),
        "PROVHOUSE_SPARK_MEMORY": "1g",
        "DBT_SEND_ANONYMOUS_USAGE_STATS": "false",
    }
    asked = f"set -e\n{script}\nprovhouse lineage customers/ann --format csv > lineage.csv"
    done = subprocess.run(
        ["sh", "-c", asked],
        cwd=tmp_path, env={**os.environ, **given}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    found = [line.split("@")[0] for line in (tmp_path / "lineage.csv").read_text().splitlines()]
    assert {name for name in found if name.startswith(("orders/", "raw_orders/"))} == ROWS
    assert (
        len([name for name in found if name.startswith("literal")]) == 2
    )  # the values of the seed
