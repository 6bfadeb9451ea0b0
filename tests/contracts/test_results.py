"""The bytes of every result in JSON, JSON lines and CSV."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from provhouse.model.answer import Answer
from provhouse.output.form import Form
from provhouse.output.output import Absent, Output, opened
from provhouse.query.diff import Change, Diff
from provhouse.query.status import Status

Golden = Callable[[str, str], None]
Write = Callable[[Output, Any], None]

COLUMNS = ["n", "name\n", "z", "=f"]
ROWS = [
    (1, "\x1b[1mx", None, "=1+1"),
    (True, {"a": [1, "é", None]}, 0.5, ""),
    (-7, ["x", False], 1e100, 'a "quoted", word'),
]
RESULTS: dict[str, tuple[str, Write]] = {
    "answer": ("small", lambda output, answer: output.answer(answer)),
    "answer-long": ("long", lambda output, answer: output.answer(answer)),
    "answer-empty": ("empty", lambda output, answer: output.answer(answer)),
    "answer-cyclic": ("cyclic", lambda output, answer: output.answer(answer)),
    "answer-filtered": ("filtered", lambda output, answer: output.answer(answer)),
    "answer-unmatched": ("unmatched", lambda output, answer: output.answer(answer)),
    "answer-erased": ("erased", lambda output, answer: output.answer(answer)),
    "answer-counts": ("counts", lambda output, answer: output.answer(answer)),
    "path": ("way", lambda output, path: output.path(path)),
    "path-all": ("way", lambda output, path: output.path(replace(path, every=True, erased=1))),
    "finding": ("finding", lambda output, finding: output.finding(finding)),
    "explanation": ("explanation", lambda output, told: output.explanation(told)),
    "diff": ("diff", lambda output, diff: output.diff(diff)),
    "generations": ("generations", lambda output, listed: output.generations(listed)),
    "ingest": ("summary", lambda output, summary: output.summary(summary)),
    "ingest-of-nothing-new": (
        "summary",
        lambda output, summary: output.summary(replace(summary, committed=False)),
    ),
    "retraction": ("retraction", lambda output, retraction: output.retraction(retraction)),
    "preview": ("preview", lambda output, preview: output.preview(preview)),
    "check": ("report", lambda output, report: output.report(report)),
    "check-whole": (
        "report",
        lambda output, report: output.report(replace(report, damages=(), generation=None)),
    ),
    "prune": ("pruned", lambda output, pruned: output.pruned(pruned)),
    "forget": ("forgotten", lambda output, forgotten: output.forgotten(forgotten)),
    "export": ("manifest", lambda output, manifest: output.exported(manifest)),
}
"""A name in ``golden/results``, the fixture that is written, and how."""


def written(tmp_path: Path, form: Form, act: Callable[[Output], None], safe: bool = False) -> str:
    """Return what an output leaves in a file, byte for byte."""
    file = tmp_path / "written"
    with opened(form, file, safe=safe) as output:
        act(output)
    return file.read_bytes().decode()


@pytest.mark.parametrize("form", [Form.json, Form.lines, Form.csv])
@pytest.mark.parametrize("name", RESULTS)
def test_one_result(
    name: str, form: Form, request: pytest.FixtureRequest, golden: Golden, tmp_path: Path
) -> None:
    fixture, write = RESULTS[name]
    result = request.getfixturevalue(fixture)
    text = written(tmp_path, form, lambda output: write(output, result))
    golden(f"results/{name}.{form.value}", text)


@pytest.mark.parametrize("form", [Form.json, Form.lines, Form.csv])
def test_answers_to_many(
    form: Form, small: Answer, empty: Answer, counts: Answer, golden: Golden, tmp_path: Path
) -> None:
    absent = Absent("no\x07such")
    text = written(tmp_path, form, lambda output: output.answers([small, absent, empty]))
    golden(f"results/answers.{form.value}", text)
    text = written(tmp_path, form, lambda output: output.answers([absent, counts, counts]))
    golden(f"results/answers-counts.{form.value}", text)
    text = written(tmp_path, form, lambda output: output.answers([absent]))
    golden(f"results/answers-absent.{form.value}", text)


@pytest.mark.parametrize("form", [Form.json, Form.lines, Form.csv])
def test_diff_of_what_is_alike(form: Form, diff: Diff, golden: Golden, tmp_path: Path) -> None:
    none = Change(diff.came.items.slice(0, 0), diff.came.triples.slice(0, 0))
    same = replace(diff, since=diff.until, came=none, went=none)
    text = written(tmp_path, form, lambda output: output.diff(same))
    golden(f"results/diff-alike.{form.value}", text)


@pytest.mark.parametrize("form", [Form.json, Form.lines, Form.csv])
def test_status(form: Form, status: Status, golden: Golden, tmp_path: Path) -> None:
    served = replace(status, server="http://127.0.0.1:8000", erased=5)
    text = written(tmp_path, form, lambda output: output.status(served))
    golden(f"results/status.{form.value}", text)
    nothing = replace(status, generation=None, neo4j=None)
    text = written(tmp_path, form, lambda output: output.status(nothing))
    golden(f"results/status-empty.{form.value}", text)


@pytest.mark.parametrize("form", [Form.json, Form.lines, Form.csv])
def test_rows(form: Form, golden: Golden, tmp_path: Path) -> None:
    text = written(tmp_path, form, lambda output: output.rows(COLUMNS, ROWS))
    golden(f"results/rows.{form.value}", text)
    text = written(tmp_path, form, lambda output: output.rows(COLUMNS, []))
    golden(f"results/rows-none.{form.value}", text)


def test_csv_for_spreadsheets(small: Answer, golden: Golden, tmp_path: Path) -> None:
    def write(output: Output) -> None:
        formula = small.items.set_column(1, "table", pa.array(["=1", "+1", "-1", "@a"]))
        output.answer(replace(small, items=formula))
        output.rows(COLUMNS, ROWS)

    golden("results/safe.csv", written(tmp_path, Form.csv, write, safe=True))
