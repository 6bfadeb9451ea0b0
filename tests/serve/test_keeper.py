"""If Spark or Neo4j ends, the server refuses questions, restarts the process, and answers again.

If the server itself is stopped, no client is kept waiting.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from time import monotonic, sleep
from typing import TYPE_CHECKING

import psutil
import pytest

from provhouse.cypher.server import process_id
from provhouse.model.errors import Unavailable
from provhouse.model.progress import Silent
from provhouse.serve import client, health, server_file
from provhouse.serve import server_process as process

if TYPE_CHECKING:
    from .conftest import Served


def neo4j(served: "Served") -> psutil.Process:
    pid = process_id(served.house.settings.graph_home)
    assert pid
    return psutil.Process(pid)


def spark(served: "Served") -> psutil.Process:
    return served.spark()


@pytest.mark.long
@pytest.mark.parametrize("victim", [spark, neo4j])
def test_a_killed_process_is_restarted(
    served: "Served", victim: "Callable[[Served], psutil.Process]"
) -> None:
    expected = served.get("/v1/lineage", item="t:150").json()["items"]
    dead = victim(served)
    dead.kill()
    seen: set[int] = set()
    until = monotonic() + 180
    while monotonic() < until:
        # The item was not asked about before, so no cache can hide the failure.
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


@pytest.mark.long
def test_no_question_finds_a_bug_when_spark_dies(served: "Served") -> None:
    """At whatever point of a question Spark ends, the reply is an answer or status 503."""
    served.ingest([served.triples[0]._replace(src="another")])
    methods = ("csprov", "rq", "ccprov")
    over = Event()
    seen: set[int] = set()

    def ask(asker: int) -> None:
        earlier = {"as_of": 1} if asker % 2 else {}
        number = 0
        while not over.is_set():
            item, method = f"t:{number % 290}", methods[asker % 3]
            reply = served.get("/v1/lineage", item=item, method=method, depth=3 + asker, **earlier)
            seen.add(reply.status_code)
            number += 1

    def await_status(status: int) -> None:
        until = monotonic() + 60
        while status not in seen and monotonic() < until:
            sleep(0.05)

    with ThreadPoolExecutor(6) as pool:
        asking = [pool.submit(ask, asker) for asker in range(6)]
        try:
            await_status(200)
            sleep(1)
            served.spark().kill()
            await_status(503)
            sleep(1)
        finally:
            over.set()
        for one in asking:
            one.result(120)
    assert seen == {200, 503}
    process.up(served.house.settings, Silent(), wait=True)  # wait until Spark is up again


@pytest.mark.long
def test_a_stopped_server_keeps_no_client_waiting(
    served: "Served", monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (health, client):
        monkeypatch.setattr(module, "SILENT_SECONDS", 0.5)
    settings = served.house.settings
    asking = client.Client.of(settings.warehouse)
    assert asking
    served.process.suspend()
    began = monotonic()
    try:
        reply = asking.ask("/v1/lineage", {"item": "t:150"}, "application/json", {})
        with pytest.raises(Unavailable, match="does not respond"), reply:
            pass
        with pytest.raises(Unavailable, match="does not respond"):
            process.up(settings, Silent(), wait=True)
        process.await_generation(settings, 1000, Silent())  # as after an ingest
    finally:
        served.process.resume()
    assert monotonic() - began < 30
    assert served.get("/v1/lineage", item="t:150").status_code == 200


@pytest.mark.long
def test_a_neo4j_that_is_stopped_keeps_no_question_waiting(served: "Served") -> None:
    settings = served.house.settings
    log = server_file.log_file(settings.warehouse)
    stopped = neo4j(served)
    expected = served.get("/v1/impact", item="t:149").json()["items"]
    read = log.stat().st_size
    stopped.suspend()
    try:
        began = monotonic()
        reply = served.get("/v1/impact", item="t:148")  # no walk from this item is cached
        assert monotonic() - began < 60
        assert reply.status_code in (503, 504)
        assert "Neo4j" in reply.text
        assert reply.json()["exit_status"] == 5
        until = monotonic() + 60
        while "does not answer" not in log.read_bytes()[read:].decode():
            assert monotonic() < until
            sleep(0.1)
    finally:
        stopped.resume()
    until = monotonic() + 60
    while (reply := served.get("/v1/impact", item="t:147")).status_code != 200:
        assert monotonic() < until, reply.text
        sleep(0.1)
    assert served.get("/v1/impact", item="t:149").json()["items"] == expected


def test_up_does_not_start_a_second_server(served: "Served") -> None:
    before = served.server
    assert process.up(served.house.settings, Silent(), wait=True) == before


@pytest.mark.long
def test_down_ends_all_processes(served: "Served") -> None:
    before, jvm = served.server, served.spark()
    warehouse = served.house.settings.warehouse
    family = [served.process, jvm, *jvm.children(recursive=True)]
    with process.without_server(served.house.settings, Silent()):
        assert psutil.wait_procs(family, 10)[1] == []
        assert server_file.running(warehouse) is None
        assert not process.down(warehouse, Silent())
    assert served.get("/v1/lineage", item="t:150").status_code == 200
    assert served.server.port == before.port
    assert served.server.pid != before.pid
    assert server_file.is_kept(warehouse, served.server.pid)
