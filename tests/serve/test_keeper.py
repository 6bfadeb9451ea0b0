"""If Spark or Neo4j dies, the server refuses questions, restarts it, and answers again."""

from collections.abc import Callable
from time import monotonic, sleep
from typing import TYPE_CHECKING

import psutil
import pytest

from provhouse.cypher.server import process_id
from provhouse.model.progress import Silent
from provhouse.serve import process, server_file

if TYPE_CHECKING:
    from .conftest import Served


def neo4j(served: "Served") -> psutil.Process:
    pid = process_id(served.house.settings.graph_home)
    assert pid
    return psutil.Process(pid)


def spark(served: "Served") -> psutil.Process:
    return served.spark()


@pytest.mark.parametrize("victim", [spark, neo4j])
def test_a_killed_process_is_restarted(
    served: "Served", victim: "Callable[[Served], psutil.Process]"
) -> None:
    expected = served.get("/v1/lineage", item="t:150").json()["items"]
    dead = victim(served)
    dead.kill()
    seen: set[int] = set()
    until = monotonic() + 60
    while monotonic() < until:
        # An item that was not asked about before, so that no cache hides the failure.
        reply = served.get("/v1/impact", item=f"t:{len(seen)}")
        seen.add(reply.status_code)
        if reply.status_code == 200 and 503 in seen:
            break
        if reply.status_code == 503:
            assert int(reply.headers["Retry-After"]) >= 1
            assert reply.json()["exit_status"] == 5
        sleep(0.1)
    assert seen == {200, 503}
    assert served.get("/v1/lineage", item="t:150").json()["items"] == expected
    assert victim(served).pid != dead.pid
    left = [child.status() for child in served.process.children()]
    assert psutil.STATUS_ZOMBIE not in left


def test_up_does_not_start_a_second_server(served: "Served") -> None:
    before = served.server
    assert process.up(served.house.settings, Silent(), wait=True) == before


def test_down_ends_all_processes(served: "Served") -> None:
    jvm = served.spark()
    family = [served.process, jvm, *jvm.children(recursive=True)]
    assert process.down(served.house.settings.warehouse, Silent())
    assert psutil.wait_procs(family, 10)[1] == []
    assert server_file.running(served.house.settings.warehouse) is None
    assert not process.down(served.house.settings.warehouse, Silent())
    process.up(served.house.settings, Silent(), wait=True)
    assert served.get("/v1/lineage", item="t:150").status_code == 200
