"""Every question is declared once. Its name, result, routes and commands follow from its class."""

from dataclasses import MISSING, fields, is_dataclass
from pathlib import Path
from typing import Any, get_args

import pytest
from typer.core import TyperGroup
from typer.main import get_command

from provhouse.cli.app import app
from provhouse.model.question import OPTIONAL, Question
from provhouse.output import writer
from provhouse.output.questions.asking import Asking
from provhouse.output.questions.items import AskingLineage
from provhouse.output.questions.question_registry import QUESTIONS
from provhouse.output.shown_result import ShownResult
from provhouse.serve.requests import request_of

SCHEMAS = Path(writer.__file__).with_name("schemas")
ROUTES = [each for each in QUESTIONS if each is not AskingLineage]


def test_names_and_paths_are_distinct() -> None:
    assert len({asking.name for asking in QUESTIONS}) == len(QUESTIONS) > 20


@pytest.mark.parametrize("asking", QUESTIONS)
def test_classes_of_a_question_exist(asking: type[Asking[Any]]) -> None:
    kind = asking.found_type()
    assert all(map(is_dataclass, get_args(kind) or [kind]))
    assert isinstance(asking.written(None), ShownResult)


@pytest.mark.parametrize("asking", QUESTIONS)
def test_a_question_without_a_result_of_its_own_has_a_derived_schema(
    asking: type[Asking[Any]],
) -> None:
    assert bool(asking.result) == (SCHEMAS / f"{asking.schema}.json").is_file()


@pytest.mark.parametrize("asking", ROUTES)
def test_a_request_has_the_fields_of_the_body(asking: type[Asking[Any]]) -> None:
    model = request_of(asking)
    assert set(model.model_fields) == {each.name for each in fields(asking)}
    given = {each.name: _example(each) for each in fields(asking)}
    asked = asking(**given)
    assert vars(model(**asked.body()).asked(asking)) == vars(asked)


@pytest.mark.parametrize("asking", [each for each in QUESTIONS if each.command])
def test_a_command_has_the_fields_of_its_question(asking: type[Asking[Any]]) -> None:
    group = get_command(app)
    assert isinstance(group, TyperGroup)
    parameters = {each.name: each for each in group.commands[asking.name].params}
    for each in fields(asking):
        help_text = getattr(parameters[each.name], "help", "")
        assert each.metadata.get("help", help_text) == help_text
    assert {*parameters} - {each.name for each in fields(asking)} == {"form", "out", "safe"}


def test_fields_of_a_question_come_last_in_a_request() -> None:
    (zoom,) = (each for each in QUESTIONS if each.name == "zoom")
    names = [each.name for each in zoom.parameters()]
    assert names == ["item", "direction", "zoom", "fold", "foldable", *OPTIONAL]
    assert {each.name for each in fields(Question)} < set(names)


def _example(field: Any) -> object:
    examples: dict[str, object] = {
        "semiring": "cost", "direction": "downstream", "number": 3, "limit": 2, "zoom": "set",
        "weights": (("a", 0.5),), "where": (("by", "x"),), "since": 1, "until": "2026-01-02",
        "item": "é", "every": True, "depth": 4,
    }  # fmt: skip
    return examples.get(field.name, "text" if field.default is MISSING else field.default)
