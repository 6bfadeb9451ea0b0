"""Arrow batches are ingested like files: with the same triples, rejects, origins and errors."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from helpers.warehouse import House
from provhouse.care.retract import Retracting, retract
from provhouse.ingest.formats.column_mapping import columns_of
from provhouse.ingest.formats.spool import Rows
from provhouse.ingest.from_arrow import from_arrow
from provhouse.ingest.ingest import ingest
from provhouse.ingest.ingest_summary import Reject, Summary
from provhouse.model.errors import BadInput
from provhouse.model.progress import Silent

Houses = Callable[..., House]
ROWS = pa.table(
    {
        "src": pa.array(["a", "b", None, "a"]).dictionary_encode(),
        "dst": ["b", "c", "c", "c"],
        "op": ["f", "g", "g", None],
        "src_table": pa.array(["A", "B", "B", "A"], pa.large_string()),
        "dst_table": ["B", "C", "C", "C"],
        "weight": [1, 2, 3, None],
    }
)


@pytest.fixture(scope="module")
def house(houses: Houses) -> House:
    """A warehouse to which all tests in this file add data."""
    return houses()


def brought(house: House, rows: Rows, **options: Any) -> Summary:
    """Ingest rows, and check the invariants."""
    summary = from_arrow(rows, house.settings, progress=Silent(), **options)
    house.check()
    return summary


@pytest.mark.long
def test_a_table_is_ingested_as_a_file_with_its_rows(house: House, tmp_path: Path) -> None:
    """A CSV file with the same rows as an ingested table adds no triple."""
    summary = brought(house, ROWS, label="frame")
    assert (summary.new_triples, summary.new_items, summary.rejected) == (3, 3, 1)
    assert summary.first_rejects == (Reject("frame", 3, "no src"),)
    assert summary.tables == ("A", "B", "C")
    file = tmp_path / "rows.csv"
    file.write_text("src,dst,op,src_table,dst_table,weight\na,b,f,A,B,1\nb,c,g,B,C,2\na,c,,A,C,\n")
    again = ingest([file], house.settings, progress=Silent())
    assert (again.new_triples, again.new_items, again.duplicates) == (0, 0, 3)


@pytest.mark.long
def test_batches_may_come_from_a_generator(house: House) -> None:
    def batches() -> Iterator[pa.RecordBatch]:
        for n in range(50):
            yield pa.record_batch({"src": [f"many {n}"], "dst": [f"many {n + 1}"]})

    assert brought(house, batches()).new_triples == 50


@pytest.mark.long
def test_integers_become_text_and_columns_can_be_mapped(house: House) -> None:
    rows = pa.table({"from": [1, 2], "to": [2, 3]}).to_reader()
    summary = brought(house, rows, columns=columns_of(["src=from,dst=to"], None))
    assert summary.new_items == 3
    with house.asker() as asker:
        answer = asker.ask("3", "upstream")
    assert sorted(row["item"] for row in answer.items.to_pylist()) == ["1", "2"]


@pytest.mark.long
def test_rows_are_retracted_by_their_label(house: House) -> None:
    brought(house, pa.table({"src": ["r"], "dst": ["s"]}), label="to be retracted")
    outcome = retract(Retracting(file=Path("to be retracted")), house.settings, Silent())
    assert outcome.ended == 1


@pytest.mark.long
def test_rows_of_a_run_replace_its_earlier_rows(house: House) -> None:
    brought(house, pa.table({"src": ["r1", "r2"], "dst": ["r3", "r3"]}), run="night")
    assert brought(house, pa.table({"src": ["r1"], "dst": ["r3"]}), run="night").ended == 1


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (pa.table({"src": ["a"], "to": ["b"]}), "frame: no column dst"),
        (iter([]), "frame: it has no batches"),
        (pa.table({"src": [[1]], "dst": ["b"]}), "frame: the column src contains lists"),
    ],
    ids=["no dst", "no batches", "a list"],
)
def test_unusable_rows_are_refused(house: House, rows: Rows, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        from_arrow(rows, house.settings, label="frame", progress=Silent())


def test_strict_refuses_rejects(house: House) -> None:
    with pytest.raises(BadInput, match="1 rows are not triples"):
        from_arrow(ROWS, house.settings, strict=True, progress=Silent())
