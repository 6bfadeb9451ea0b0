"""Addresses and queries are printed without line breaks, so that they can be copied."""

import io

from provhouse.output.results.view import ViewResult
from provhouse.output.table import TableWriter
from provhouse.query.exporting.browser_view import Neo4jView


def test_an_address_and_a_query_are_one_line_each() -> None:
    view = Neo4jView(
        item="x", direction="upstream", generation=1, time="2026-01-02T03:04:05Z", items=2,
        grouped=False, nodes=3, relationships=2, left_out=0, expires="2026-01-03T03:04:05Z",
        query="MATCH " + "q" * 200, sets_query="MATCH " + "s" * 200, url="http://" + "u" * 200,
    )  # fmt: skip
    handle = io.StringIO()
    TableWriter(handle, width=80).write(ViewResult(view))
    lines = handle.getvalue().splitlines()
    assert view.query in lines
    assert view.sets_query in lines
    assert view.url in lines
