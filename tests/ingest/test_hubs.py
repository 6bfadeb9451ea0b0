"""An item with very many neighbours in several tables is reported; with ``null``, it is dropped."""

from collections.abc import Callable
from pathlib import Path

import pandas
import pytest

import provhouse
from helpers.oracle import Triple
from helpers.warehouse import House
from provhouse.cli.app import run
from provhouse.ingest.ingest import ingest
from provhouse.ingest.ingest_summary import Hub, Summary
from provhouse.ingest.preview import preview
from provhouse.ingest.steps import hubs
from provhouse.model.errors import UsageError
from provhouse.model.progress import Silent

Houses = Callable[..., House]


class Said(Silent):
    """A progress display that records the messages for people."""

    def __init__(self) -> None:
        self.sentences: list[str] = []

    def say(self, sentence: str) -> None:
        self.sentences.append(sentence)


@pytest.fixture(autouse=True)
def low(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hubs, "NEIGHBOURS", 12)


def tasks(name: str, count: int, tables: int, dst: bool = False) -> list[Triple]:
    """Return triples between one item and ``count`` others, which are in ``tables`` tables.

    The one item is the src of the triples or, if ``dst``, their dst.
    """
    others = [(f"task {n}", f"process {n % tables}") for n in range(count)]
    if dst:
        return [Triple(other, name, "run", table, "work") for other, table in others]
    return [Triple(name, other, "run", "work", table) for other, table in others]


def ingested(house: House, rows: list[Triple]) -> tuple[Summary, list[str]]:
    said = Said()
    return ingest([house.write(rows)], house.settings, progress=said), said.sentences


@pytest.mark.parametrize("dst", [False, True])
def test_a_hub_is_named_and_counted(houses: Houses, dst: bool) -> None:
    house = houses()
    found, said = ingested(
        house, [*tasks("-", 13, 4, dst), Triple("-", "-"), *tasks("-", 2, 4, dst)]
    )
    assert found.hubs == (Hub("-", 13, 4),)
    (sentence,) = [one for one in said if "neighbours" in one]
    assert "'-' has 13 neighbours in 4 tables" in sentence
    assert "--null" in sentence


@pytest.mark.long
@pytest.mark.parametrize(
    "rows",
    [
        tasks("genome", 50, 2),  # neighbours in few tables
        tasks("config", 11, 4),  # few neighbours
        tasks("config", 6, 4) * 3,  # few neighbours, in repeated rows
        [Triple(f"a{n}", f"b{n}", "", f"t{n}", f"t{n}") for n in range(20)],
    ],
)
def test_other_items_are_no_hubs(houses: Houses, rows: list[Triple]) -> None:
    found, said = ingested(houses(), rows)
    assert found.hubs == ()
    assert not [one for one in said if "neighbours" in one]


@pytest.mark.long
def test_hubs_are_in_order_and_a_preview_names_them(houses: Houses) -> None:
    house = houses()
    rows = [*tasks("small", 12, 3), *tasks("large", 20, 3, dst=True)]
    said = Said()
    preview([house.write(rows)], house.settings, progress=said)
    assert len([one for one in said.sentences if "neighbours" in one]) == 2
    assert [hub.item for hub in ingested(house, rows)[0].hubs] == ["large", "small"]


@pytest.mark.long
def test_null_texts_join_no_rows(houses: Houses, tmp_path: Path) -> None:
    """If the strings for missing values are given, rows are not joined through such a string."""
    house = houses()
    frame = pandas.DataFrame({"src": ["x", "-", r"\N"], "dst": ["y", "z", "w"], "op": "-"})
    with house.open() as warehouse:
        assert warehouse.ingest(frame).rejected == 0
        assert [row.item for row in warehouse.impact("-").items] == ["z"]
        found = warehouse.ingest(frame, replace=True, null=("-", r"\N"))
        assert (found.rejected, found.items) == (2, 2)
        assert [reject.reason for reject in found.first_rejects] == ["no src", "no src"]
        assert [(one.src, one.op) for one in warehouse.lineage("y").triples] == [("x", "")]
        with pytest.raises(provhouse.NotFound):
            warehouse.impact("-")
        assert warehouse.ingest(frame, replace=True, null="-").rejected == 1


@pytest.mark.long
def test_the_option_null_is_that_of_python(
    houses: Houses, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = houses().settings
    options = ["--warehouse", str(settings.warehouse), "--set", f"neo4j_home={settings.graph_home}"]
    file = tmp_path / "trace.tsv"
    file.write_text("src\tdst\tstatus\nx\ty\t-\n-\tz\tok\n\\N\tw\tok\n")
    null = ["ingest", str(file), "--null", "-", "--null", r"\N", "--format", "csv"]
    assert not run([*options, *null, "--dry-run"])
    assert capsys.readouterr().out.splitlines()[1].startswith("1,3,2,2,")
    assert run([*options, *null, "--strict"]) == 4
    assert "2 rows are not triples" in capsys.readouterr().err
    assert not run([*options, *null])
    assert not run([*options, "lineage", "y", "--format", "csv"])
    assert "status" not in capsys.readouterr().out.rpartition("y")[2]


def test_a_null_text_that_is_not_utf8_is_a_usage_error(tmp_path: Path) -> None:
    assert run(["--warehouse", str(tmp_path), "ingest", "x.csv", "--null", "\udcff"]) == 2
    with pytest.raises(UsageError), provhouse.open(tmp_path / "w") as warehouse:
        warehouse.ingest(pandas.DataFrame({"src": [], "dst": []}), null="\udcff")
