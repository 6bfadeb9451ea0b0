"""After runs, retractions and returns, each generation answers as a model in memory does.

``tests/fire/test_sequences.py`` tries them in any order.
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
from helpers.life import Life
from helpers.oracle import Triple
from helpers.warehouse import House
from provhouse.care.check import check
from provhouse.changes.retract import Selection, retract
from provhouse.commit.ending import end_of_origins
from provhouse.commit.origins import stored_origins
from provhouse.ingest.ingest import ingest
from provhouse.model.errors import NotFound
from provhouse.model.progress import Silent
from provhouse.query.generations import list_generations
from provhouse.store.tables.delta import write_parquet
from provhouse.store.tables.snapshot import Snapshot
from provhouse.store.warehouse.commits import current, generations
from provhouse.store.warehouse.layout import Layout

Houses = Callable[..., House]
UNKNOWN = frozenset({(None, "?")})


def rows(*seeds: int) -> list[Triple]:
    return sorted({triple for seed in seeds for triple in graph(seed).triples})


ONE, OTHER = rows(1, 40), rows(40, 8)
"""Both have graph 40."""
JOIN = [Triple(rows(8)[0].dst, rows(1)[0].src, "join")]
ASKED = [rows(seed)[-1].dst for seed in (1, 40)]
AS_OTHERS = {6, 8, 11, 13, 14}
"""Generations with the content of an earlier one."""


@pytest.fixture(scope="module")
def life(houses: Houses) -> Life:
    """Retractions and returns, runs and files, replaced runs, rollbacks and a compaction."""
    life = Life(houses(theta=4, pack=0, partition_triples=10))
    life.ingest(a=ONE)  # 1
    life.retract(file="a")  # 2
    life.ingest(a=ONE)  # 3: each triple is a new row
    life.ingest("july", b=OTHER)  # 4: graph 40 comes from both
    life.retract(file="a")  # 5: so graph 40 stays
    life.rollback()  # 6: as 4
    life.retract(run="july")  # 7
    life.rollback()  # 8
    life.ingest("july", b=OTHER)  # nothing new
    life.ingest(
        "july", c=OTHER[2:] + JOIN, d=OTHER[4:]
    )  # 9: replaces b; two files have the same triples
    life.retract(file="c")  # 10: the triples of d stay
    life.rollback()  # 11
    life.ingest(e=rows(12))  # 12
    life.rollback()  # 13
    life.ingest(e=rows(12))  # 14
    life.retract(JOIN[0].src, rows(12)[0].src)  # 15: from any file or run
    assert life.rows() == life.now.shown
    life.compact()  # 16
    life.retract(file="a")  # 17: graph 40 stays; its origins survive the compaction
    life.ingest("july", c=[])  # 18: replaced by nothing
    assert life.rows() == life.now.shown
    return life


def test_every_generation_answers_as_when_it_was_current(life: Life) -> None:
    assert sorted(life.states) == [*range(19)]
    life.agree(ASKED, ["csprov"], *sorted(life.states.keys() - AS_OTHERS - {0}))
    life.agree(ASKED, ["rq", "ccprov"], 5)


def test_a_retracted_origin_has_nothing_left_to_retract(life: Life) -> None:
    """Retracting it again, by file or by run, makes no generation."""
    before = generations(life.house.layout)
    for wanted in (
        Selection(life.house.settings.warehouse.parent / "a.csv"),
        Selection(run="july"),
    ):
        done = retract(wanted, life.house.settings, Silent())
        assert (done.ended, done.kept, done.committed) == (0, 0, False)
    assert generations(life.house.layout) == before


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        (Selection(run="june"), "The run 'june' brought nothing"),
        (Selection(items=(ONE[0].src, "?")), "Item '\\?' is not in generation"),
    ],
)
def test_an_unknown_run_or_item_is_not_found(life: Life, wanted: Selection, said: str) -> None:
    before = generations(life.house.layout)
    with pytest.raises(NotFound, match=said):
        retract(wanted, life.house.settings, Silent())
    assert generations(life.house.layout) == before


def test_the_list_of_generations_counts_ended_triples(life: Life) -> None:
    listing = {row.generation: row for row in list_generations(life.house.layout)}
    retracted = [n for n, row in listing.items() if row.change == "retract"]
    assert retracted == [2, 5, 7, 10, 15, 17]
    for number, row in listing.items():
        was, is_ = life.states[number - 1].standing, life.states[number].standing
        ended = 0 if row.change == "rollback" else len(was.keys() - is_.keys())
        assert row.ended == ended, asdict(row)


def test_a_check_finds_deaths_and_assertions_of_missing_triples(life: Life, tmp_path: Path) -> None:
    assert check(life.house.settings, Silent(), deep=True).damages == ()
    folder = tmp_path / "warehouse"
    copytree(life.house.settings.warehouse, folder)
    copied = replace(life.house.settings, warehouse=folder)
    for name in ("deaths", "assertions"):
        file = sorted(Layout(folder).table(2, name).glob("*.parquet"))[-1]
        rows = pq.read_table(file, partitioning=None)
        beyond = pc.add(rows["row"], 1_000)
        write_parquet(rows.set_column(rows.column_names.index("row"), "row", beyond), file)
    found = {damage.where: damage.found for damage in check(copied, Silent()).damages}
    for name in ("deaths", "assertions"):
        assert "of its rows do" in found[f"table {name}"]


def test_a_retraction_needs_memory_for_one_partition(houses: Houses) -> None:
    """A place takes 8 bytes; the places of all ended triples are never in memory together."""
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
    """Their origin is unknown, so they can only be retracted by item."""
    life = Life(houses(theta=4, pack=0, partition_triples=10))
    life.ingest(a=ONE)
    _as_format_1(life.house.layout)
    before = life.states[1]
    life.states[1] = replace(before, standing=dict.fromkeys(before.standing, UNKNOWN))
    life.ingest("may", a=OTHER)
    life.retract(file="a")
    life.retract(ONE[0].src)
    assert life.rows() == life.now.shown
    life.agree(ASKED, ["csprov"], 1, 4)


def _as_format_1(layout: Layout) -> None:
    """Rewrite a warehouse as a version without origins would have written it."""
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
