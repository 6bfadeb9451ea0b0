"""Commands ingest a file with a foreign key, ingest a PROV document, and export PROV."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from helpers.warehouse import House
from provhouse.cli.app import run
from provhouse.ingest.formats.known_formats import batches
from provhouse.ingest.formats.source import Source


@pytest.mark.long
def test_documents_are_ingested_and_exported(
    houses: Callable[..., House], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    house = houses()
    settings = house.settings
    options = ["--warehouse", str(settings.warehouse), "--set", f"neo4j_home={settings.graph_home}"]

    def done(*arguments: str) -> str:
        assert not run([*options, *arguments, "--format", "json"])
        return capsys.readouterr().out

    orders, paper = tmp_path / "orders.csv", tmp_path / "paper.provn"
    orders.write_text("order_id,customer_id,paid\n1,7,yes\n2,7,no\n")
    paper.write_text(
        'document\nprefix ex <http://example.org/>\nentity(ex:chart, [ex:title="Chart"])\n'
        "agent(ex:me)\nused(ex:draw, ex:data, -)\nwasGeneratedBy(ex:chart, ex:draw, -)\nendDocument"
    )
    constants = ["--src-table", "customers", "--dst-table", "orders", "--op", "place"]
    maps = ["--map", "src_id=customer_id,dst_id=order_id"]
    assert json.loads(done("ingest", str(orders), *maps, *constants))["triples"] == 2
    summary = json.loads(done("ingest", str(paper)))
    assert (summary["triples"], summary["unread"]) == (
        4, {"agent": 1, "attributes of entity": 1},
    )  # fmt: skip
    with house.open() as warehouse:
        assert [each.item for each in warehouse.lineage("orders/2").items] == ["customers/7"]
        chart = warehouse.lineage("http://example.org/chart")
        assert [each.item for each in chart.items] == [
            "http://example.org/draw", "http://example.org/data",
        ]  # fmt: skip
    found = {}
    for form, name in (("prov-n", "provn"), ("prov-json", "provjson"), ("prov-o", "ttl")):
        (part,) = json.loads(done("export", str(tmp_path / form), "--as", form))["files"]
        assert part["name"] == f"triples.{name}"
        source = Source(str(tmp_path / form / part["name"]), form)
        found[form] = {
            (*row.values(), text)
            for batch in batches(source)
            for row, text in zip(batch.rows.to_pylist(), batch.attributes.to_pylist(), strict=True)
        }
    assert found["prov-n"] == found["prov-json"] == found["prov-o"]
    assert ("customers/7", "orders/1", "place", "customers", "orders", '{"paid":"yes"}') in found[
        "prov-o"
    ]
    assert len(found["prov-n"]) == 4
