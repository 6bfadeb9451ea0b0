"""The server keeps answering while the generation from which it answers is pruned."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import TYPE_CHECKING

import pytest

from provhouse.care.compact import compact
from provhouse.care.prune import prune
from provhouse.model.progress import Silent
from provhouse.serve import server_process as process
from provhouse.store.warehouse.bases import bases

if TYPE_CHECKING:
    from .conftest import Served


@pytest.mark.long
def test_questions_are_answered_during_a_prune(served: "Served") -> None:
    """The server has opened the base twice: for the current and for an earlier generation."""
    served.ingest([served.triples[0]._replace(src="new")])
    expected = served.oracle.ask("t:150", "upstream").items
    first = served.get("/v1/generations").json()[0]["generation"]
    assert served.get("/v1/lineage", item="t:150", as_of=first).status_code == 200
    old, over = bases(served.house.layout), Event()

    def ask() -> list[tuple[int, object]]:
        replies: list[tuple[int, object]] = []
        # at least one reply, even if other work on the machine delays it
        while not over.wait(0.02) or not replies:
            # each question differs from the ones before, so no answer comes from the cache
            depth = 20 + len(replies)
            reply = served.get("/v1/lineage", item="t:150", depth=depth)
            items = {(row["item"], row["depth"]) for row in reply.json().get("items", ())}
            wanted = {(item, hops) for item, hops in expected if hops <= depth}
            replies.append((reply.status_code, items == wanted))
        return replies

    with ThreadPoolExecutor(1) as pool:
        asking = pool.submit(ask)
        try:
            summary = compact(served.house.settings, Silent())
            process.await_generation(served.house.settings, summary.generation, Silent())
            done = prune(served.house.settings, Silent(), keep=1)
        finally:
            over.set()
        assert set(asking.result()) == {(200, True)}
    assert (list(done.bases), done.in_use) == (old, ())
    assert served.get("/v1/lineage", item="t:150").json()["generation"] == summary.generation
    gone = served.get("/v1/lineage", item="t:150", as_of=first)
    assert gone.status_code == 404
    assert "was pruned" in gone.text
