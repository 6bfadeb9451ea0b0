"""Charts of items' records: their tables, their traces, and the pages that a server keeps."""

import io
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from provhouse.model.errors import UsageError
from provhouse.query.source_records import Record
from provhouse.serve.charts.item_records import ChartedRecords, as_table, newest
from provhouse.serve.charts.served_pages import MOST_PAGES, OpenPages
from provhouse.serve.problems import RefusedRequest

ROWS: list[dict[str, Any]] = [
    {"hour": at % 6, "kind": "abc"[at % 3], "key": f"k{at}"} for at in range(30)
]
RECORDS = [Record(f"t/{at}@2", Path("f"), row) for at, row in enumerate(ROWS)]


def records() -> ChartedRecords:
    return ChartedRecords("t", "t", as_table(RECORDS), 2)


def test_a_selection_becomes_a_trace_of_its_items() -> None:
    number, page = OpenPages().open(records())
    assert number
    described = page.describe()
    assert [each["name"] for each in described["views"]] == ["hour", "kind"]  # keys tell nothing
    assert (described["columns"][0], described["missing"]) == ("item", 2)
    labels = described["views"][0]["axes"][0]["labels"]
    bars = {"hour": [(labels.index("2"), labels.index("2") + 2)]}
    found = pq.read_table(io.BytesIO(page.trace({**bars}, "mine")))
    expected = [each.item for each in RECORDS if each.values["hour"] in (2, 3)]
    assert found["src"].to_pylist() == expected
    assert {*found["dst"].to_pylist()} == {"selection/mine"}
    assert {*found["brushes"].to_pylist()} == {"hour: 2 to 3"}
    assert page.first(bars)[0] == expected
    with pytest.raises(UsageError, match="name of the selection"):
        page.trace({}, "../up")


def test_records_may_lack_columns_and_mix_types() -> None:
    rows: list[dict[str, Any]] = [{"a": 1}, {"a": None, "item": "x"}, {"a": "text", "item": None}]
    table = as_table([Record(f"t/{at}", Path("f"), row) for at, row in enumerate(rows)])
    assert table.to_pydict() == {
        "the item": ["t/0", "t/1", "t/2"], "a": ["1", None, "text"], "item": [None, "x", None],
    }  # fmt: skip


def test_the_newest_version_of_each_item_is_shown() -> None:
    items = ["t/1@2", "t/1@10", "t/2", "t/2@x", "@7", "t/3@1"]
    assert newest(items) == ["t/1@10", "t/2", "t/2@x", "@7", "t/3@1"]


def test_the_page_that_was_used_longest_ago_is_closed() -> None:
    pages = OpenPages()
    first, _ = pages.open(records())
    second, _ = pages.open(records())
    for _ in range(MOST_PAGES - 1):
        assert pages.find(first)
        pages.open(records())
    with pytest.raises(RefusedRequest, match="These charts are closed"):
        pages.find(second)
