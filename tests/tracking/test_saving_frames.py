"""Store the lineage of frames and of traces in a warehouse."""

from collections.abc import Callable

import pandas as pd

import provhouse
from helpers.warehouse import House
from provhouse import pandas as tracked


def test_lineage_leads_from_saved_rows_through_marks_and_traces_to_sources(
    houses: Callable[..., House],
) -> None:
    house = houses()
    settings = house.settings
    with provhouse.trace(
        warehouse=settings.warehouse, run="load", neo4j_home=settings.neo4j_home
    ) as trace:
        for number in range(4):
            with trace.step("load", table="orders") as step:
                step.derive(number, from_=[("raw", number + 100)])
    data = pd.DataFrame({"id": range(4), "country": ["DE", "FR", "DE", "US"], "x": [1, 2, 3, 4]})
    clean = tracked.track(data, table="orders", key="id").query("x < 4").mark("clean", key="id")
    totals = clean.groupby("country", as_index=False)["x"].sum()
    summary = totals.save(
        settings.warehouse, table="totals", key="country", neo4j_home=settings.neo4j_home
    )
    house.check()
    assert summary.new_triples == 3 + 3
    with house.open() as warehouse:
        answer = warehouse.lineage("totals/DE")
        found = {(triple.src, triple.dst) for triple in answer.triples}
        ops = {triple.op.partition(" ")[0] for triple in answer.triples}
    assert found == {
        ("clean/0", "totals/DE"),
        ("clean/2", "totals/DE"),
        ("orders/0", "clean/0"),
        ("orders/2", "clean/2"),
        ("raw/100", "orders/0"),
        ("raw/102", "orders/2"),
    }
    assert ops == {"groupby.sum", "query", "load"}
