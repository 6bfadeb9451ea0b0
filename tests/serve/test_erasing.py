"""After another process erases items, the server answers as if started after the erasure."""

from collections.abc import Callable
from time import monotonic, sleep
from typing import TYPE_CHECKING

import numpy as np
import pytest

from helpers.oracle import Triple
from helpers.warehouse import House
from provhouse.care.forget import forget
from provhouse.commit.erasing import erase as steps
from provhouse.commit.erasing.triples import clear_links
from provhouse.model.arrays import ItemNumbers
from provhouse.model.errors import Unavailable
from provhouse.model.progress import Silent
from provhouse.query.lineage.ask import Asker
from provhouse.serve import server_process as process
from provhouse.serve.keeper import Keeper

if TYPE_CHECKING:
    from .conftest import Served

FAR = [Triple("far/1", "far/2", "op 1"), Triple("far/2", "far/3", "op 1")]


def test_cached_answers_are_dropped_by_an_erasure(served: "Served") -> None:
    # not added to served.triples, which other tests use
    generation = served.house.ingest(FAR).generation
    process.await_generation(served.house.settings, generation, Silent())

    def ask() -> list[tuple[int, list[str], int]]:
        found = [served.get("/v1/lineage", item="far/3", depth=depth).json() for depth in (8, 8, 9)]
        return [
            (one["generation"], [row["item"] for row in one["items"]], one["erased"])
            for one in found
        ]

    assert ask() == [(generation, ["far/2", "far/1"], 0)] * 3
    forget(["far/2"], served.house.settings, Silent())
    assert ask() == [(generation, ["far/1"], 1)] * 3
    assert served.get("/v1/lineage", item="far/2").status_code == 404


@pytest.mark.long
def test_partitions_are_read_again_after_an_erasure(
    houses: Callable[..., House], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Until an erasure is complete, the server uses the asker that it opened before the erasure."""
    house = houses(theta=4, pack=0)
    house.ingest([*FAR, Triple("far/3", "far/4", "op 1")])  # otherwise, Neo4j would be rebuilt
    keeper = Keeper(house.settings, Silent())
    seen: list[Asker] = []

    def asker() -> Asker:
        """Return the current asker of the server."""
        with keeper.asker() as now:
            return now

    def other(than: Asker | None) -> Asker:
        until = monotonic() + 60
        while monotonic() < until:
            try:
                if (now := asker()) is not than and not keeper.cold_partitions:
                    return now
            except Unavailable:
                pass
            sleep(0.05)
        raise AssertionError("the keeper did not open another asker")

    def slowly(*given: object) -> int:
        sleep(2)  # the keeper checks twice a second
        seen.append(asker())
        return int(clear_links(*given))  # type: ignore[arg-type]

    keeper.start()
    try:
        first = other(None)
        assert first.ask("far/3", "upstream", "csprov").items.num_rows == 2
        monkeypatch.setattr(steps, "clear_links", slowly)
        forget(["far/2"], house.settings, Silent())
        second = other(first)
        assert seen == [first]
        answer = second.ask("far/3", "upstream", "csprov")
        assert (answer.items["item"].to_pylist(), answer.erased) == (["far/1"], 1)
        read = second.spark.partitions.fetch(
            second.snapshot.partitions,
            ItemNumbers(np.array([0])),
            ItemNumbers(np.array([1 << 31])),
        )
        assert read.take(np.arange(len(read)))["op"].to_pylist() == ["", "", "op 1"]
    finally:
        keeper.close()
