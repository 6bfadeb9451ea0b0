"""In a session of another program, a task may run twice at once."""

from pathlib import Path

import pytest

from benchmarks.cluster.spark_cluster import Cluster
from helpers.cluster import run_program

SHOWN = Path(__file__).parent.parent.parent.parent


@pytest.mark.long
def test_second_attempts_change_no_answer(tmp_path: Path, graph_home: Path) -> None:
    """On one worker, tasks become slow after they have written their files. Spark abandons them."""
    shared = tmp_path / "shared"
    shared.mkdir()
    with Cluster(tmp_path / "cluster", [shared, SHOWN]) as cluster:
        printed = run_program("speculating_program.py", cluster, shared, graph_home, cluster.master)
    assert int(printed.split()[-1]) > 0
