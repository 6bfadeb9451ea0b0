"""After retractions and repeated ingests, each generation answers like a model in memory.

``tests/fire/test_sequences.py`` makes changes of these kinds in random order.
"""

import json
import tracemalloc
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from shutil import copytree, rmtree

import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from helpers.graphs import graph
from helpers.model import Model
from helpers.oracle import Triple
from helpers.warehouse import House
from provhouse.care.check import check
from provhouse.care.retract import Retracting, retract
from provhouse.commit.ending import end_of_origins
from provhouse.commit.numbered_origins import stored_origins
from provhouse.ingest.ingest import ingest
from provhouse.model.errors import NotFound
from provhouse.model.progress import Silent
from provhouse.query.listing.generations import list_generations
from provhouse.store.tables.delta_tables import write_parquet
from provhouse.store.tables.snapshot import Snapshot
from provhouse.store.warehouse.commits import current, generations
from provhouse.store.warehouse.layout import Layout

Houses = Callable[..., House]
UNKNOWN = frozenset({(None, "?")})


def rows(*seeds: int) -> list[Triple]:
    return sorted({triple for seed in seeds for triple in graph(seed).triples})


ONE, OTHER = rows(1, 40), rows(40, 8)
"""Two lists of rows, each with the triples of two random graphs. Graph 40 is in both lists."""
JOIN = [Triple(rows(8)[0].dst, rows(1)[0].src, "join")]
ASKED = [rows(seed)[-1].dst for seed in (1, 40)]
AS_OTHERS = {6, 8, 11, 13, 14}
"""The generations whose content equals that of an earlier generation."""


@pytest.fixture(scope="module")
def model(houses: Houses) -> Model:
    """A warehouse and its model, with retractions, repeated ingests, rollbacks and a compaction."""
    model = Model(houses(theta=4, pack=0, partition_triples=10))
    model.ingest(a=ONE)  # 1
    model.retract(file="a")  # 2
    model.ingest(a=ONE)  # 3: each triple is a new row
    model.ingest("july", b=OTHER)  # 4: graph 40 comes from both files
    model.retract(file="a")  # 5: graph 40 stays, because b still has it
    model.rollback()  # 6: the same content as 4
    model.retract(run="july")  # 7
    model.rollback()  # 8
    model.ingest("july", b=OTHER)  # the same content as before: no new generation
    model.ingest(
        "july", c=OTHER[2:] + JOIN, d=OTHER[4:]
    )  # 9: the run replaces b; two files have the same triples
    model.retract(file="c")  # 10: the triples of d stay
    model.rollback()  # 11
    model.ingest(e=rows(12))  # 12
    model.rollback()  # 13
    model.ingest(e=rows(12))  # 14
    model.retract(JOIN[0].src, rows(12)[0].src)  # 15: items from any file or run
    assert model.rows() == model.now.shown
    model.compact()  # 16
    model.retract(file="a")  # 17: graph 40 stays, because its origins survive the compaction
    model.ingest("july", c=[])  # 18: the run is replaced by nothing
    assert model.rows() == model.now.shown
    return model


@pytest.mark.long
def test_every_generation_answers_as_when_it_was_current(model: Model) -> None:
    assert sorted(model.states) == [*range(19)]
    model.assert_answers(ASKED, ["csprov"], *sorted(model.states.keys() - AS_OTHERS - {0}))
    model.assert_answers(ASKED[:1], ["rq", "ccprov"], 5)


@pytest.mark.long
def test_a_retracted_origin_has_nothing_left_to_retract(model: Model) -> None:
    """A second retraction of the same file or run makes no new generation."""
    before = generations(model.house.layout)
    for wanted in (
        Retracting(model.house.settings.warehouse.parent / "a.csv"),
        Retracting(run="july"),
    ):
        done = retract(wanted, model.house.settings, Silent())
        assert (done.ended, done.kept, done.committed) == (0, 0, False)
    assert generations(model.house.layout) == before


@pytest.mark.long
@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        (Retracting(run="june"), "No stored triple comes from the run 'june'"),
        (Retracting(items=(ONE[0].src, "?")), "Item '\\?' is not in generation"),
    ],
)
def test_an_unknown_run_or_item_is_not_found(model: Model, wanted: Retracting, said: str) -> None:
    before = generations(model.house.layout)
    with pytest.raises(NotFound, match=said):
        retract(wanted, model.house.settings, Silent())
    assert generations(model.house.layout) == before


@pytest.mark.long
def test_the_list_of_generations_counts_ended_triples(model: Model) -> None:
    listing = {row.generation: row for row in list_generations(model.house.layout)}
    retracted = [n for n, row in listing.items() if row.change == "retract"]
    assert retracted == [2, 5, 7, 10, 15, 17]
    for number, row in listing.items():
        was, is_ = model.states[number - 1].live, model.states[number].live
        ended = 0 if row.change == "rollback" else len(was.keys() - is_.keys())
        assert row.ended == ended, asdict(row)


@pytest.mark.long
def test_a_check_finds_deaths_and_assertions_of_missing_triples(
    model: Model, tmp_path: Path
) -> None:
    assert check(model.house.settings, Silent(), deep=True).damages == ()
    folder = tmp_path / "warehouse"
    copytree(model.house.settings.warehouse, folder)
    copied = replace(model.house.settings, warehouse=folder)
    for name in ("deaths", "assertions"):
        file = sorted(Layout(folder).table(2, name).glob("*.parquet"))[-1]
        rows = pq.read_table(file, partitioning=None)
        beyond = pc.add(rows["row"], 1_000)
        write_parquet(rows.set_column(rows.column_names.index("row"), "row", beyond), file)
    found = {damage.where: damage.found for damage in check(copied, Silent()).damages}
    for name in ("deaths", "assertions"):
        assert "of its rows do" in found[f"table {name}"]


@pytest.mark.long
def test_a_retraction_needs_memory_for_one_partition(houses: Houses) -> None:
    """The peak memory of a retraction is below 8 bytes for each triple that the retraction ends."""
    house = houses(partition_triples=500)
    some = [Triple(f"a{n}", f"b{n}", "") for n in range(50_000)]
    ingest([house.write(some)], house.settings, run="may", progress=Silent())
    commit = current(house.layout)
    assert commit
    held = Snapshot(house.layout, commit)
    tracemalloc.start()
    try:
        ended = end_of_origins(held, [origin.number for origin in stored_origins(held)])
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(ended.deaths) == len(some)
    assert peak < 8 * len(some)


def test_triples_from_before_origins_were_recorded(houses: Houses) -> None:
    """Triples ingested before origins were recorded can only be retracted by item."""
    model = Model(houses(theta=4, pack=0, partition_triples=10))
    model.ingest(a=ONE)
    _as_format_1(model.house.layout)
    before = model.states[1]
    model.states[1] = replace(before, live=dict.fromkeys(before.live, UNKNOWN))
    model.ingest("may", a=OTHER)
    model.retract(file="a")
    model.retract(ONE[0].src)
    assert model.rows() == model.now.shown
    model.assert_answers(ASKED, ["csprov"], 1, 4)


def _as_format_1(layout: Layout) -> None:
    """Rewrite a warehouse in the format of a version that did not yet record origins."""
    for path in layout.table(1, "triples").glob("*.parquet"):
        write_parquet(pq.read_table(path, partitioning=None).drop_columns(["origin"]), path)
    log = layout.table(1, "triples") / "_delta_log" / f"{0:020d}.json"
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    for add in (line["add"] for line in lines if "add" in line):
        add["size"] = (layout.table(1, "triples") / add["path"]).stat().st_size
    log.write_text("\n".join(map(json.dumps, lines)))
    for path in (layout.commits / "1.json", layout.ids):
        record = json.loads(path.read_text())
        if "format" in record:
            del record["tables"]["origins"]
            record["format"] = 1
        else:
            del record["origin"]
        path.write_text(json.dumps(record))
    rmtree(layout.table(1, "origins"))
