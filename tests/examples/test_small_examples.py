"""Each small example runs by one command, as its README says, and gives the answer shown there."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from helpers.dbt_runs import install_dbt
from helpers.dbt_shop import DBT

EXAMPLES = Path(__file__).parents[2] / "examples"
DBT_ANSWER = {
    "raw_orders/1@1", "raw_orders/3@1", "raw_orders.csv/2@1", "raw_orders.csv/4@1",
    "stg_orders/1@1", "stg_orders/3@1",
}  # fmt: skip
TRACE_ANSWER = {"customers/ann", "orders/17", "orders/19"}


def _run(*command: object, **given: str) -> str:
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        [*map(str, command)],
        env={**os.environ, "PATH": path, "PROVHOUSE_SPARK_MEMORY": "1g", **given},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_example_of_pandas_prints_what_its_page_shows() -> None:
    page = (EXAMPLES / "pandas" / "README.md").read_text(encoding="utf-8")
    shown = page.partition("```text\n")[2].partition("```")[0]
    assert _run(sys.executable, EXAMPLES / "pandas" / "report.py") == shown


@pytest.mark.long
@pytest.mark.parametrize(
    ("example", "answer", "picture"),
    [("dbt", DBT_ANSWER, "ann.svg"), ("trace", TRACE_ANSWER, "impact.svg")],
)
def test_an_example_answers_a_question_and_draws_a_picture(
    example: str, answer: set[str], picture: str, tmp_path: Path, graph_home: Path
) -> None:
    if example == "dbt":
        install_dbt()
    path = f"{Path(sys.executable).parent}:{DBT}:{os.environ['PATH']}"
    script = EXAMPLES / example / "run.sh"
    shown = _run(script, tmp_path, PROVHOUSE_NEO4J_HOME=str(graph_home), PATH=path)
    assert {line.partition(",")[0] for line in shown.splitlines() if line.count(",") == 2} == {
        "item", *answer
    }  # fmt: skip
    assert "<svg" in (tmp_path / picture).read_text(encoding="utf-8")
