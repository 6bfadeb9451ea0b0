"""Texera workflows: editor-only properties do not affect plan keys, all other properties do."""

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import provhouse
from provhouse.cli.app import run
from provhouse.equivalence.plan_form import doubts
from provhouse.model.errors import BadInput
from provhouse.workflows.revisions import SinkPlan
from provhouse.workflows.texera import texera_sinks

DDL = "create table tweets(id integer, text varchar, state varchar, score double)"
Edit = Callable[[dict[str, Any]], object]


def operator(name: str, kind: str, **properties: object) -> dict[str, Any]:
    """Return an operator as Texera's editor exports it."""
    return {
        "operatorID": name, "operatorType": kind, "operatorVersion": "1a2b",
        "operatorProperties": properties, "inputPorts": [{"portID": "input-0"}],
        "outputPorts": [{"portID": "output-0"}], "showAdvanced": False, "isDisabled": False,
        "customDisplayName": name.title(), "dynamicInputPorts": False, "dynamicOutputPorts": False,
    }  # fmt: skip


def link(source: str, target: str) -> dict[str, Any]:
    """Return a link from one operator to another."""
    return {
        "linkID": f"link-{source}-{target}",
        "source": {"operatorID": source, "portID": "output-0"},
        "target": {"operatorID": target, "portID": "input-0"},
    }


def workflow() -> dict[str, Any]:
    """Return a workflow that has two results."""
    kept = [{"attribute": "state", "condition": "=", "value": "CA"},
            {"attribute": "score", "condition": "is null", "value": ""}]  # fmt: skip
    columns = [{"originalAttribute": "id", "alias": ""},
               {"originalAttribute": "text", "alias": "words"}]  # fmt: skip
    return {
        "operators": [
            operator("scan", "CSVFileScan", fileName="/ann/day/v1/tweets.csv",
                     fileEncoding="UTF_8", customDelimiter=",", hasHeader=True, limit=None),
            operator("filter", "Filter", predicates=kept),
            operator("project", "Projection", isDrop=False, attributes=columns),
            operator("union", "Union"),
            operator("distinct", "Distinct"),
            operator("rest", "Projection", isDrop=True, attributes=columns),
        ],
        "links": [link("scan", "filter"), link("filter", "project"), link("project", "union"),
                  link("project", "distinct"), link("distinct", "union"), link("filter", "rest")],
        "operatorPositions": {"scan": {"x": 1, "y": 2}}, "commentBoxes": [],
        "settings": {"dataTransferBatchSize": 400},
    }  # fmt: skip


def sinks(made: dict[str, Any]) -> dict[str, SinkPlan]:
    return dict(texera_sinks(json.dumps(made), DDL))


def edited(edit: Edit) -> dict[str, Any]:
    made = copy.deepcopy(workflow())
    edit(made)
    return made


def properties(made: dict[str, Any], at: int) -> dict[str, Any]:
    found: dict[str, Any] = made["operators"][at]["operatorProperties"]
    return found


SHOWN: dict[str, Edit] = {
    "position": lambda made: made["operatorPositions"]["scan"].update(x=9),
    "comment": lambda made: made["commentBoxes"].append({"commentBoxID": "c"}),
    "groups and breakpoints": lambda made: made.update(groups=[{"groupID": "g"}], breakpoints={}),
    "batch": lambda made: made["settings"].update(dataTransferBatchSize=1),
    "shown": lambda made: made["operators"][1].update(
        showAdvanced=True, viewResult=True, markedForReuse=True, customDisplayName="Kept"
    ),
    "order of operators": lambda made: made["operators"].reverse(),
    "order of links": lambda made: made["links"].reverse(),
    "order of predicates": lambda made: properties(made, 1)["predicates"].reverse(),
}
CHANGED: dict[str, Edit] = {
    "file": lambda made: properties(made, 0).update(fileName="/ann/day/v2/tweets.csv"),
    "encoding": lambda made: properties(made, 0).update(fileEncoding="ASCII"),
    "delimiter": lambda made: properties(made, 0).update(customDelimiter=";"),
    "header": lambda made: properties(made, 0).update(hasHeader=False),
    "attribute": lambda made: properties(made, 1)["predicates"][0].update(attribute="text"),
    "condition": lambda made: properties(made, 1)["predicates"][0].update(condition="!="),
    "value": lambda made: properties(made, 1)["predicates"][0].update(value="NY"),
    "one more": lambda made: properties(made, 1)["predicates"].append(
        {"attribute": "id", "condition": ">", "value": "3"}
    ),
    "drop": lambda made: properties(made, 2).update(isDrop=True),
    "alias": lambda made: properties(made, 2)["attributes"][1].update(alias="said"),
    "column": lambda made: properties(made, 2)["attributes"][0].update(originalAttribute="score"),
    "order of columns": lambda made: properties(made, 2)["attributes"].reverse(),
    "version": lambda made: made["operators"][1].update(operatorVersion="3c4d"),
    "setting": lambda made: made["settings"].update(timeZone="UTC"),
    "link": lambda made: made["links"].pop(),
    "operator": lambda made: made["operators"][4].update(operatorType="Union"),
}
OPAQUE: dict[str, tuple[Edit, str]] = {
    "limit": (lambda made: properties(made, 0).update(limit=5), "limit of CSVFileScan"),
    "offset": (lambda made: properties(made, 0).update(offset=0), "offset of CSVFileScan"),
    "function": (
        lambda made: made["operators"][1].update(operatorType="PythonUDFV2"),
        "the operator PythonUDFV2",
    ),
    "disabled": (
        lambda made: made["operators"][1].update(isDisabled=True),
        "the disabled operator Filter",
    ),
    "new property": (lambda made: properties(made, 1).update(deep=1), "deep of Filter"),
    "new part": (lambda made: made["operators"][1].update(retries=1), "retries of Filter"),
    "predicate": (
        lambda made: properties(made, 1)["predicates"][0].update(negated=True),
        "a predicate of Filter",
    ),
    "new condition": (
        lambda made: properties(made, 1)["predicates"][0].update(condition="like"),
        "a predicate of Filter",
    ),
    "unknown attribute": (
        lambda made: properties(made, 1)["predicates"][0].update(attribute="place"),
        "the unknown attribute place",
    ),
    "port": (
        lambda made: made["links"][0]["target"].update(portID="input-1"),
        "the links of Filter",
    ),
    "second output": (
        lambda made: made["links"][1]["source"].update(portID="output-1"),
        "the links of Filter",
    ),
    "two inputs": (
        lambda made: made["links"].append(link("scan", "filter")),
        "the links of Filter",
    ),
    "partition": (
        lambda made: made["operators"][1]["inputPorts"][0].update(
            partitionRequirement={"type": "single"}
        ),
        "partitionRequirement of Filter",
    ),
    "ports": (
        lambda made: made["operators"][1].update(dynamicInputPorts=True),
        "dynamicInputPorts of Filter",
    ),
    "attribute part": (
        lambda made: properties(made, 2)["attributes"][0].update(cast="long"),
        "an attribute of Projection",
    ),
    "attributes by name alone": (
        lambda made: properties(made, 2).update(attributes=["id", "text"]),
        "an attribute of Projection",
    ),
    "two of one name": (
        lambda made: properties(made, 2)["attributes"][1].update(alias="id"),
        "attributes of Projection",
    ),
    "columns of a union": (
        lambda made: made["links"].append(link("scan", "union")),
        "a Union of different columns",
    ),
}


@pytest.mark.parametrize("name", SHOWN)
def test_what_the_editor_shows_is_no_part_of_a_plan(name: str) -> None:
    before, after = sinks(workflow()), sinks(edited(SHOWN[name]))
    assert {each.key for each in before.values()} == {each.key for each in after.values()}


@pytest.mark.parametrize("name", CHANGED)
def test_every_property_is_a_part_of_a_plan(name: str) -> None:
    before, after = sinks(workflow()), sinks(edited(CHANGED[name]))
    assert {each.key for each in before.values()} != {each.key for each in after.values()}


@pytest.mark.parametrize("name", OPAQUE)
def test_what_is_not_read_is_never_reused(name: str) -> None:
    edit, reason = OPAQUE[name]
    found = [doubts(each.plan) for each in sinks(edited(edit)).values()]
    assert [reason] in found
    assert not any(doubts(each.plan) for each in sinks(workflow()).values())


def test_dropped_columns_are_those_that_are_not_kept() -> None:
    kept = [{"originalAttribute": name, "alias": ""} for name in ("state", "score")]
    other = edited(lambda made: properties(made, 5).update(isDrop=False, attributes=kept))
    assert sinks(other)["Rest"].key == sinks(workflow())["Rest"].key


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"operators": [], "links": []}', '{"operators": [{}], "links": []}',
     json.dumps({**workflow(), "udfs": []}),
     json.dumps(edited(lambda made: made["links"].append(link("union", "filter")))),
     json.dumps(edited(lambda made: made["links"].append(link("nothing", "filter"))))],
)  # fmt: skip
def test_a_text_that_is_no_workflow_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match="no workflow of Texera"):
        texera_sinks(text, DDL)


def test_a_file_without_a_schema_is_refused() -> None:
    with pytest.raises(BadInput, match="no table tweets"):
        texera_sinks(json.dumps(workflow()), "create table other(id integer)")


def test_a_moved_box_is_no_revision_and_an_edit_elsewhere_keeps_a_result(tmp_path: Path) -> None:
    file, schema, out = tmp_path / "flow.json", tmp_path / "tables.sql", tmp_path / "rest.parquet"
    house = tmp_path / "warehouse"
    schema.write_text(DDL, encoding="utf-8")
    pq.write_table(pa.table({"state": ["CA"], "score": [1.0]}), out)

    def add(made: dict[str, Any]) -> None:
        file.write_text(json.dumps(made), encoding="utf-8")
        given = ["revisions", "add", "flow", str(file), "--from", "texera", "--schema", str(schema)]
        assert run(["--warehouse", str(house), *given]) == 0

    add(workflow())
    add(edited(SHOWN["position"]))
    inputs = {"tweets": f"sha256:{'0' * 64}"}
    with provhouse.open(house) as warehouse:
        assert [each.revision for each in warehouse.revisions("flow")] == ["flow@r1"]
        warehouse.add_execution("flow@r1", {"Rest": out}, inputs)
        add(edited(CHANGED["alias"]))
        assert warehouse.reuse("flow@r2", "Rest", inputs=inputs).by == "key"
        assert warehouse.reuse("flow@r2", "Union", inputs=inputs).decision == "build"
