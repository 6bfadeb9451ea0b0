"""Answers in JSON stay the same, except for values such as times and addresses."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from helpers.lived import Lived
from helpers.structure import dumped, kinds
from provhouse.model.progress import Silent
from provhouse.model.question import Question
from provhouse.output.form import Form
from provhouse.output.results.answer_view import AnswerResult
from provhouse.output.results.diff import DiffResult
from provhouse.output.results.explanation import ExplanationResult
from provhouse.output.results.finding import FindingResult
from provhouse.output.results.generation_list import GenerationsResult
from provhouse.output.results.path import PathResult
from provhouse.output.results.shown_set import ShownSetResult
from provhouse.output.results.status import StatusResult
from provhouse.output.writer import Writer, opened
from provhouse.query.lineage.ask import Asker
from provhouse.query.lineage.diff import compare
from provhouse.query.lineage.path import path
from provhouse.query.listing.find import find
from provhouse.query.listing.generations import list_generations
from provhouse.query.listing.show_set import show_set
from provhouse.query.listing.status import status

Golden = Callable[[str, str], None]
CHANGING = ("seconds", "time", "prepare", "why", "set")
"""The keys with values that differ in each run."""
QUESTIONS = {
    "lineage": Question("report", "upstream"),
    "impact": Question("raw:0", "downstream", limit=2),
    "filtered": Question("report", "upstream", tables=("clean",), ops=("sum",), depth=2),
    "sources": Question("report", "upstream", ends=True),
    "counted": Question("report", "upstream", summary=True),
    "sets": Question("report", "upstream", sets=True),
    "counted-sets": Question("report", "upstream", sets=True, summary=True),
    "erased": Question("clean:8", "upstream"),
    "retracted": Question("clean:5", "upstream"),
}


def written(tmp_path: Path, act: Callable[[Writer], None]) -> Any:
    """Return the JSON that ``act`` writes, with types in place of values that vary by run."""
    file = tmp_path / "written.json"
    with opened(Form.json, file) as output:
        act(output)
    return json.loads(file.read_text(), object_hook=steady)


def steady(value: dict[str, Any]) -> dict[str, Any]:
    """Return a JSON object in which types replace values that differ in each run."""
    return {key: kinds(each) if key in CHANGING else each for key, each in value.items()}


@pytest.mark.parametrize("name", QUESTIONS)
def test_an_answer_is_the_same(lived: Lived, name: str, golden: Golden, tmp_path: Path) -> None:
    with lived.house.asker() as asker:
        answer = asker.answer(QUESTIONS[name])
    golden(
        f"questions/{name}.json", dumped(written(tmp_path, lambda o: o.write(AnswerResult(answer))))
    )


def test_a_path_is_the_same(lived: Lived, golden: Golden, tmp_path: Path) -> None:
    with lived.house.asker() as asker:
        found = path(asker, "raw:1", "report")
    golden("questions/path.json", dumped(written(tmp_path, lambda o: o.write(PathResult(found)))))


def test_the_matches_of_find_are_the_same(lived: Lived, golden: Golden, tmp_path: Path) -> None:
    with lived.house.asker() as asker:
        found = find(asker.snapshot, "a", anywhere=True, table="clean", limit=3)
    golden(
        "questions/find.json", dumped(written(tmp_path, lambda o: o.write(FindingResult(found))))
    )


def test_an_explanation_has_the_same_keys_and_estimates(
    lived: Lived, golden: Golden, tmp_path: Path
) -> None:
    with lived.house.asker() as asker:
        shown = show_set(asker.snapshot, asker.ask("report", "upstream").set_id, limit=2)
        explanation = asker.explain(Question("report", "upstream"))
    value = written(tmp_path, lambda output: output.write(ExplanationResult(explanation)))
    assert value.pop("sets") == list(explanation.sets)
    golden("questions/explanation.json", dumped(value))
    value = written(tmp_path, lambda output: output.write(ShownSetResult(shown)))
    golden("questions/set.json", dumped(value))


def test_a_diff_is_the_same(lived: Lived, golden: Golden, tmp_path: Path) -> None:
    def asker(generation: int | str | None) -> Asker:
        return Asker(lived.house.settings, Silent(), generation)

    diff = compare(Question("report", "upstream", as_of=1), None, asker)
    golden("questions/diff.json", dumped(written(tmp_path, lambda o: o.write(DiffResult(diff)))))


def test_the_list_of_generations_is_the_same(lived: Lived, golden: Golden, tmp_path: Path) -> None:
    found = list_generations(lived.house.layout)
    golden(
        "questions/generations.json",
        dumped(written(tmp_path, lambda o: o.write(GenerationsResult(found)))),
    )


def test_the_status_is_the_same(lived: Lived, golden: Golden, tmp_path: Path) -> None:
    value = written(
        tmp_path, lambda output: output.write(StatusResult(status(lived.house.settings)))
    )
    assert value.pop("warehouse") == str(lived.house.settings.warehouse)
    assert value.pop("neo4j") == lived.house.address.bolt
    golden("questions/status.json", dumped(value))
