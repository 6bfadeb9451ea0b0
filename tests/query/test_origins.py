"""An item's origins are the items without sources that a simple search reaches from the item."""

import json
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import fields
from io import StringIO
from typing import Any

import jsonschema
import pytest

from helpers.graphs import graph
from helpers.oracle import Triple
from helpers.warehouse import House
from provhouse.model.errors import NotFound
from provhouse.output.arrow_writer import pieces, read
from provhouse.output.form import Form
from provhouse.output.questions.items import AskingOrigins
from provhouse.output.questions.schemas import derived_schema
from provhouse.output.writer import writer_of
from provhouse.query.lineage.ask import Asker
from provhouse.query.lineage.origins import Origins, origins

GRAPHS = 25


def by_hand(triples: list[Triple], item: str) -> dict[str, list[str]]:
    """Return, by table, an item's sources: the items that derive from no item but themselves."""
    into, table = defaultdict[str, set[str]](set), dict[str, str]()
    for triple in triples:
        into[triple.dst].add(triple.src)
        table |= {triple.src: triple.src_table, triple.dst: triple.dst_table}
    reached, left = set[str](), [item]
    while left:
        for src in into[left.pop()] - reached:
            reached.add(src)
            left.append(src)
    found = defaultdict(list)
    for source in sorted(each for each in reached if not into[each]):
        found[table[source]].append(source)
    return dict(sorted(found.items()))


@pytest.fixture(scope="module")
def triples() -> list[Triple]:
    """The triples of many random graphs."""
    return [triple for seed in range(GRAPHS) for triple in graph(seed).triples]


@pytest.fixture(scope="module")
def asker(houses: Callable[..., House], triples: list[Triple]) -> Iterator[Asker]:
    """A warehouse that contains all random graphs."""
    house = houses(theta=3, pack=5)
    house.ingest(triples, names="global")
    with house.asker() as opened:
        yield opened


def test_origins_are_those_of_a_search_by_hand(asker: Asker, triples: list[Triple]) -> None:
    seen = 0
    for item in sorted({end for triple in triples for end in triple[:2]})[::14]:
        expected, found = by_hand(triples, item), origins(asker, item, 2)
        rows = {row.table: (row.items, list(row.first)) for row in found.tables}
        assert rows == {name: (len(each), each[:2]) for name, each in expected.items()}, item
        assert list(rows) == list(expected)
        assert found.sources == sum(map(len, expected.values()))
        seen += bool(rows)
    assert seen > 10


def test_an_item_that_is_not_stored_is_not_found(asker: Asker) -> None:
    with pytest.raises(NotFound, match="no such"):
        origins(asker, "no such", 1)


def written(found: Origins, form: Form) -> str:
    handle = StringIO()
    writer_of(form, handle, width=100).write(AskingOrigins.written(found))
    return handle.getvalue()


def test_every_form_follows_from_the_fields(asker: Asker, triples: list[Triple]) -> None:
    item = next(t.dst for t in triples if len(by_hand(triples, t.dst)) > 1)
    found = origins(asker, item, 1)
    value: dict[str, Any] = json.loads(written(found, Form.json))
    jsonschema.validate(value, derived_schema(Origins))
    assert value["tables"] == [vars(row) | {"first": list(row.first)} for row in found.tables]
    assert set(value) == {each.name for each in fields(found)} - {
        "exactness", "exactness_triples", "samples",
    }  # fmt: skip
    lines = written(found, Form.csv).splitlines()
    assert (lines[0], len(lines)) == ("table,items,first", len(found.tables) + 1)
    assert read(Origins, b"".join(pieces(found))) == found
    assert all(row.first[0] in written(found, Form.table) for row in found.tables)
