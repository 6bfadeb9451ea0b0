"""A warehouse with captured writes, stored by an earlier version, can still be queried.

``kept/format-6.tar.xz`` contains a warehouse without its Neo4j. Orders 1 to 40 have the city
``c<id-1 modulo 4>``. The land of ``c0`` and ``c1`` is ``x``, and that of the other cities is ``y``.
Generation 1 has ``balance`` (the orders from 3) and ``sums`` (by land). Generation 2 has a sample
of half of ``balance`` (the orders from 2). Generation 3 has ``last`` (the largest order of each
city, by a window) and an uncaptured write of ``dice``. Generation 4 is an ingest of three triples
from a file.
"""

import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from helpers.oracle import Triple
from helpers.warehouse import House
from provhouse.care.compact import compact
from provhouse.care.repair import repair
from provhouse.care.rollback import rollback
from provhouse.commit.number_files import number_files
from provhouse.model.errors import NotFound
from provhouse.model.progress import Silent
from provhouse.query.lineage.ask import Asker
from provhouse.query.listing.status import status
from provhouse.store.tables.file_table import read_files
from provhouse.store.warehouse.commits import FORMAT

KEPT = Path(__file__).parent / "kept" / "format-6.tar.xz"
LANDS = {"x": (0, 1), "y": (2, 3)}


@pytest.fixture(scope="module")
def captured(houses: Callable[..., House], tmp_path_factory: pytest.TempPathFactory) -> House:
    folder = tmp_path_factory.mktemp("captured")
    with tarfile.open(KEPT) as archive:
        archive.extractall(folder, filter="data")
    house = houses(warehouse=folder / "warehouse")
    repair(house.settings, Silent())
    house.check_deep()
    return house


def sources(asker: Asker, item: str) -> set[str]:
    """Return the plain names of all items from which an item derives, directly or not."""
    triples = asker.ask(item, "upstream").triples.to_pylist()
    return {str(row["src"]).split("@")[0] for row in triples}


def orders(first: int, *cities: int) -> set[str]:
    return {f"orders/{one}" for one in range(first, 41) if (one - 1) % 4 in cities}


def balances(first: int, *cities: int) -> set[str]:
    return {name.replace("orders", "balance") for name in orders(first, *cities)}


@pytest.mark.parametrize("compacted", [False, pytest.param(True, marks=pytest.mark.long)])
def test_captured_writes_of_an_earlier_version_answer_as_before(
    captured: House, compacted: bool
) -> None:
    if compacted:
        compact(captured.settings, Silent())
        captured.check_deep()
    with captured.asker() as asker:
        for land, cities in LANDS.items():
            made = orders(3, *cities) | balances(3, *cities)
            assert sources(asker, f"sums/{land}") == made | {f"cities/c{one}" for one in cities}
        for last in range(37, 41):
            assert sources(asker, f"last/{last}") == {f"orders/{last}"}
        assert sources(asker, "d/1") == {"a/1", "a/2", "b/1"}
        answer = asker.ask("balance/2", "upstream")
        assert {row["src"] for row in answer.triples.to_pylist()} == {"orders/2"}
        assert [(one.table, one.part) for one in answer.samples] == [("balance", 0.5)]
    (missing,) = status(captured.settings).uncaptured
    assert (missing.table, "the operator Range" in missing.reason) == ("dice", True)


def test_the_last_ingest_of_an_earlier_version_is_rolled_back(captured: House) -> None:
    rollback(captured.settings, Silent())
    captured.check_deep()
    with captured.asker() as asker:
        assert sources(asker, "last/40") == {"orders/40"}
        with pytest.raises(NotFound):
            asker.ask("d/1", "upstream")


@pytest.mark.long
def test_files_of_an_earlier_version_move_when_one_is_added(captured: House) -> None:
    """The folder of the earlier format stays until earlier versions refuse the warehouse."""
    before, earlier = read_files(captured.layout), captured.layout.root / "files"
    assert before.num_rows > 1
    number_files(["/new"], captured.settings, Silent())
    assert read_files(captured.layout).slice(0, before.num_rows).equals(before)
    assert earlier.exists()
    captured.ingest([Triple("n", "m")])
    assert captured.commit.format == FORMAT
    number_files(["/newer"], captured.settings, Silent())
    assert read_files(captured.layout)["path"].to_pylist()[-2:] == ["/new", "/newer"]
    assert not earlier.exists()
    assert (captured.layout.root / "pins").exists()
    captured.check_deep()
