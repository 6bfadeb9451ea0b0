"""On a cluster, failed and repeated tasks leave only the lineage of the rows that were written."""

from pathlib import Path

import pytest

from benchmarks.cluster.spark_cluster import Cluster
from helpers.cluster import run_program

SHOWN = Path(__file__).parent.parent.parent


@pytest.mark.long
@pytest.mark.parametrize("what", ["failures", "lost executors", "speculation"])
def test_exactly_the_rows_that_were_written_have_lineage(
    tmp_path: Path, graph_home: Path, what: str
) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    with Cluster(tmp_path / "cluster", [shared, SHOWN]) as cluster:
        given = (what, shared, graph_home, cluster.master, next(iter(cluster.workers)))
        run_program("failing_program.py", cluster, *given)


@pytest.mark.long
def test_rdds_of_failed_tasks_have_the_lineage_of_what_was_written(tmp_path: Path) -> None:
    run_program("failing_rdds.py", None, "failures", tmp_path, "local[2,4]")


@pytest.mark.long
def test_rdds_of_stages_that_run_again(tmp_path: Path) -> None:
    run_program("failing_rdds.py", None, "lost stages", tmp_path, "local[2,4]")


@pytest.mark.long
def test_rdds_of_tasks_that_run_twice_at_once(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    with Cluster(tmp_path / "cluster", [shared, SHOWN]) as cluster:
        run_program("failing_rdds.py", cluster, "speculation", shared, cluster.master)
