"""Views of answers at every level, from a real warehouse, compared with independent counts."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from helpers.warehouse import House
from provhouse.model.errors import NotFound, UsageError
from provhouse.model.question import Question
from provhouse.model.zoom import LEVELS, Level
from provhouse.output import writer
from provhouse.output.results.level_view import ZoomedResult
from provhouse.output.results.modules import InvocationsResult, ModulesResult
from provhouse.query.lineage.ask import Asker
from provhouse.query.listing.modules import list_invocations, list_modules
from provhouse.query.zoom.picture import Picture, picture
from provhouse.query.zoom.zoomed import Zoomed, zoom

TRACE = """src,dst,op,src_table,dst_table,module,invocation,execution,role,op_kind
raw/1,clean/1,strip,raw,clean,curate,1,mon,,all
raw/2,clean/2,strip,raw,clean,curate,1,mon,,all
ref/1,clean/1,look up,ref,clean,curate,1,mon,state,all
clean/1,tmp/1,join,clean,tmp,,1,mon,,all
clean/2,tmp/1,join,clean,tmp,,1,mon,,all
tmp/1,sum/1,total,tmp,sum,,1,mon,output,aggregate
raw/3,clean/3,strip,raw,clean,curate,2,mon,,all
ref/1,clean/3,look up,ref,clean,curate,2,mon,state,all
clean/3,tmp/2,join,clean,tmp,,1,tue,,all
tmp/2,sum/1,total,tmp,sum,,1,tue,output,aggregate
sum/1,page/1,print,sum,page,,,,,
aside/1,aside/2,send,aside,aside,post,1,mon,,all
"""
MODULES = [
    {"module": "curate", "ops": ["strip", "look up"], "inputs": ["raw"], "outputs": ["clean"]},
    {"module": "report", "ops": ["join", "total"]},
]


@pytest.fixture(scope="module")
def house(houses: Callable[..., House], tmp_path_factory: pytest.TempPathFactory) -> House:
    folder, made = tmp_path_factory.mktemp("zoom"), houses()
    (folder / "t.csv").write_text(TRACE)
    (folder / "m.json").write_text(json.dumps(MODULES))
    made.ingest_files(folder / "t.csv", modules=folder / "m.json", run="nightly")
    return made


@pytest.fixture(scope="module")
def asker(house: House) -> Iterator[Asker]:
    with house.asker() as asker:
        yield asker


def nodes(found: Zoomed) -> dict[tuple[str, str], int]:
    rows = found.nodes.to_pylist()
    return {
        (row["kind"], " ".join(filter(None, (row["name"], row["execution"], row["invocation"])))): (
            row["items"]
        )
        for row in rows
    }


def edges(found: Zoomed) -> set[tuple[str, str, str, int]]:
    name = {row["node"]: row["name"] for row in found.nodes.to_pylist()}
    rows = found.edges.to_pylist()
    return {(name[row["from"]], name[row["to"]], row["op"], row["triples"]) for row in rows}


def test_modules_are_one_node_each(asker: Asker) -> None:
    found = zoom(asker, Question("page/1", "upstream"), "module")
    assert nodes(found) == {
        ("item", "page/1"): 1, ("table", "raw"): 3, ("table", "clean"): 3, ("table", "sum"): 1,
        ("module", "curate"): 0, ("module", "report"): 2,
    }  # fmt: skip
    assert edges(found) == {
        ("raw", "curate", "strip", 3), ("curate", "clean", "strip", 3),
        ("curate", "clean", "look up", 2), ("clean", "report", "join", 3),
        ("report", "sum", "total", 2), ("sum", "page/1", "print", 1),
    }  # fmt: skip
    # ref/1 is state. tmp/1 and tmp/2 are inside of a module. sum/1 was made twice. page/1 is in no
    # module.
    assert (found.found, found.inside, found.several, found.outside) == (10, 3, 1, 1)


def boxes(found: Picture) -> dict[tuple[str, str], int]:
    return {(box.kind, box.name): box.items for box in found.boxes}


def links(found: Picture) -> set[tuple[str, str, str, int]]:
    names = [box.name for box in found.boxes]
    return {(names[one.source], names[one.target], one.op, one.triples) for one in found.links}


@pytest.mark.parametrize(("opened", "folded"), [(None, []), ("report", ["curate"])])
def test_a_picture_by_module_folds_the_modules_that_are_not_opened(
    asker: Asker, opened: str | None, folded: list[str]
) -> None:
    question = Question("page/1", "upstream")
    found = picture(asker, question, "module", {f"module:{opened}": 0} if opened else {})
    expected = zoom(asker, question, "module", folded)
    assert boxes(found) == nodes(expected)
    assert links(found) == edges(expected)


def test_a_picture_opens_tables_beside_folded_modules(asker: Asker) -> None:
    question = Question("page/1", "upstream")
    found = picture(asker, question, "module", {"table:raw": 2, "table:none": 3})
    apart = {name for kind, name in boxes(found) if kind == "item"} - {"page/1"}
    assert apart < {"raw/1", "raw/2", "raw/3"}
    expected = {("item", name): 1 for name in apart} | {("table", "raw"): 1}
    assert boxes(found) == nodes(zoom(asker, question, "module")) | expected
    strips = {link for link in links(found) if link[1] == "curate"}
    assert strips == {(name, "curate", "strip", 1) for name in (*apart, "raw")}


def test_a_module_that_is_invoked_twice_in_one_execution_stays_two(asker: Asker) -> None:
    found = zoom(asker, Question("page/1", "upstream"), "record", ["curate"])
    assert {name for kind, name in nodes(found) if kind == "invocation"} == {
        "curate mon 1", "curate mon 2",
    }  # fmt: skip
    assert ("item", "ref/1") not in nodes(found)
    assert ("item", "tmp/1") in nodes(found)


def test_without_folds_records_are_the_answer(asker: Asker) -> None:
    found = zoom(asker, Question("clean/1", "downstream"), "record")
    answer = asker.ask("clean/1", "downstream")
    assert edges(found) == {
        (row["src"], row["dst"], row["op"], 1) for row in answer.triples.to_pylist()
    }
    assert {name for _, name in nodes(found)} == {"clean/1", *answer.items["item"].to_pylist()}


def test_tables_and_sets_count_the_items_of_the_answer(asker: Asker) -> None:
    question = Question("page/1", "upstream")
    tables = {("table", "raw"): 3, ("table", "ref"): 1, ("table", "clean"): 3}
    tables |= {("table", "tmp"): 2, ("table", "sum"): 1, ("item", "page/1"): 1}
    assert nodes(zoom(asker, question, "table")) == tables
    by_set = zoom(asker, question, "set")
    assert sum(nodes(by_set).values()) == 11
    assert sum(by_set.edges["triples"].to_pylist()) == 11


def test_the_catalogue_is_read_without_triples(asker: Asker) -> None:
    found = zoom(asker, Question("clean/1", "downstream"), "catalogue")
    assert nodes(found) == {
        ("table", "clean"): 3, ("table", "tmp"): 2, ("table", "sum"): 1, ("table", "page"): 1,
    }  # fmt: skip
    assert found.read.triples == 0


def test_filters_and_depth_apply_before_folding(asker: Asker) -> None:
    found = zoom(asker, Question("page/1", "upstream", depth=1), "module")
    assert (nodes(found), found.truncated) == (
        {("item", "page/1"): 1, ("table", "sum"): 1},
        "depth",
    )
    by_op = zoom(asker, Question("page/1", "upstream", ops=("strip",)), "table")
    assert ("table", "ref") not in nodes(by_op)


@pytest.mark.parametrize("level", LEVELS)
def test_json_of_every_level_is_as_its_schema_says(asker: Asker, level: Level) -> None:
    found = zoom(asker, Question("page/1", "upstream"), level)
    _valid("zoom", next(iter(ZoomedResult(found).json())))


def test_modules_and_invocations_are_listed(asker: Asker) -> None:
    modules = list_modules(asker.snapshot)
    assert [each.module for each in modules.modules] == ["curate", "report"]
    _valid("modules", [*ModulesResult(modules).json()])
    found = list_invocations(asker.snapshot, "report", "nightly")
    assert found.invocations.to_pylist() == [
        {"module": "report", "run": "nightly", "execution": day, "invocation": "1", "triples": n}
        for day, n in (("mon", 3), ("tue", 2))
    ]
    _valid("invocations", [*InvocationsResult(found).json()])
    assert not list_invocations(asker.snapshot, "report", "weekly").invocations.num_rows


def test_a_module_of_other_triples_folds_nothing(asker: Asker) -> None:
    """Only triples outside the answer belong to the module."""
    question = Question("page/1", "upstream")
    found, plain = zoom(asker, question, "record", ["post"]), zoom(asker, question, "record")
    assert (found.folded, found.inside) == (("post",), 0)
    assert (nodes(found), edges(found)) == (nodes(plain), edges(plain))
    assert zoom(asker, Question("aside/2", "upstream"), "record", ["post"]).edges.num_rows


def test_an_unknown_module_is_not_found(asker: Asker) -> None:
    with pytest.raises(NotFound, match="no module 'x'"):
        zoom(asker, Question("page/1", "upstream"), "record", ["x"])
    with pytest.raises(NotFound, match="no module 'x'"):
        list_invocations(asker.snapshot, "x")


def test_options_that_views_cannot_have_are_refused(asker: Asker) -> None:
    for question, level, folded in (
        (Question("page/1", "upstream", summary=True), "table", []),
        (Question("page/1", "upstream", method="rq"), "table", []),
        (Question("page/1", "upstream"), "catalogue", ["curate"]),
    ):
        with pytest.raises(UsageError):
            zoom(asker, question, level, folded)  # type: ignore[arg-type]


def _valid(schema: str, value: Any) -> None:
    file = Path(writer.__file__).with_name("schemas") / f"{schema}.json"
    jsonschema.validate(json.loads(json.dumps(value)), json.loads(file.read_text()))
