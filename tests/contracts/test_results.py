"""Every result in JSON, JSON lines and CSV stays the same, byte for byte."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from provhouse.model.answer import Answer
from provhouse.output.form import Form
from provhouse.output.results.answer_view import AnswerResult
from provhouse.output.results.answers import Absent, AnswersResult
from provhouse.output.results.check import CheckResult
from provhouse.output.results.cypher_rows import RowsResult
from provhouse.output.results.diff import DiffResult
from provhouse.output.results.explanation import ExplanationResult
from provhouse.output.results.export import ExportResult
from provhouse.output.results.finding import FindingResult
from provhouse.output.results.forget import ForgetResult
from provhouse.output.results.generation_list import GenerationsResult
from provhouse.output.results.ingest import IngestResult
from provhouse.output.results.path import PathResult
from provhouse.output.results.preview_view import PreviewResult
from provhouse.output.results.prune import PruneResult
from provhouse.output.results.retraction import RetractionResult
from provhouse.output.results.status import StatusResult
from provhouse.output.results.verdict_view import VerdictResult
from provhouse.output.writer import Writer, opened
from provhouse.query.lineage.diff import Change, Diff
from provhouse.query.listing.status import Status

Golden = Callable[[str, str], None]
Write = Callable[[Writer, Any], None]

COLUMNS = ["n", "name\n", "z", "=f"]
ROWS = [
    (1, "\x1b[1mx", None, "=1+1"),
    (True, {"a": [1, "é", None]}, 0.5, ""),
    (-7, ["x", False], 1e100, 'a "quoted", word'),
]
RESULTS: dict[str, tuple[str, Write]] = {
    "answer": ("small", lambda output, answer: output.write(AnswerResult(answer))),
    "answer-long": ("long", lambda output, answer: output.write(AnswerResult(answer))),
    "answer-empty": ("empty", lambda output, answer: output.write(AnswerResult(answer))),
    "answer-cyclic": ("cyclic", lambda output, answer: output.write(AnswerResult(answer))),
    "answer-filtered": ("filtered", lambda output, answer: output.write(AnswerResult(answer))),
    "answer-unmatched": ("unmatched", lambda output, answer: output.write(AnswerResult(answer))),
    "answer-erased": ("erased", lambda output, answer: output.write(AnswerResult(answer))),
    "answer-counts": ("counts", lambda output, answer: output.write(AnswerResult(answer))),
    "path": ("way", lambda output, path: output.write(PathResult(path))),
    "path-all": (
        "way",
        lambda output, path: output.write(PathResult(replace(path, every=True, erased=1))),
    ),
    "finding": ("finding", lambda output, finding: output.write(FindingResult(finding))),
    "explanation": ("explanation", lambda output, found: output.write(ExplanationResult(found))),
    "diff": ("diff", lambda output, diff: output.write(DiffResult(diff))),
    "generations": ("generations", lambda output, listed: output.write(GenerationsResult(listed))),
    "ingest": ("summary", lambda output, summary: output.write(IngestResult(summary))),
    "ingest-of-nothing-new": (
        "summary",
        lambda output, summary: output.write(IngestResult(replace(summary, committed=False))),
    ),
    "retraction": (
        "retraction",
        lambda output, retraction: output.write(RetractionResult(retraction)),
    ),
    "preview": ("preview", lambda output, preview: output.write(PreviewResult(preview))),
    "check": ("report", lambda output, report: output.write(CheckResult(report))),
    "check-whole": (
        "report",
        lambda output, report: output.write(
            CheckResult(replace(report, damages=(), generation=None))
        ),
    ),
    "prune": ("pruned", lambda output, pruned: output.write(PruneResult(pruned))),
    "forget": ("forgotten", lambda output, forgotten: output.write(ForgetResult(forgotten))),
    "verdict": ("verdict", lambda output, verdict: output.write(VerdictResult(verdict))),
    "export": ("manifest", lambda output, manifest: output.write(ExportResult(manifest))),
}
"""For each file in ``golden/results``: a fixture with a result, and a function that writes it."""


def written(tmp_path: Path, form: Form, act: Callable[[Writer], None], safe: bool = False) -> str:
    """Return exactly what ``act`` writes to a file."""
    file = tmp_path / "written"
    with opened(form, file, safe=safe) as output:
        act(output)
    return file.read_bytes().decode()


@pytest.mark.parametrize("form", [Form.json, Form.lines, Form.csv])
@pytest.mark.parametrize("name", RESULTS)
def test_a_result_is_the_same(
    name: str, form: Form, request: pytest.FixtureRequest, golden: Golden, tmp_path: Path
) -> None:
    fixture, write = RESULTS[name]
    result = request.getfixturevalue(fixture)
    text = written(tmp_path, form, lambda output: write(output, result))
    golden(f"results/{name}.{form.value}", text)


@pytest.mark.parametrize("form", [Form.json, Form.lines, Form.csv])
def test_answers_to_several_items_are_the_same(
    form: Form, small: Answer, empty: Answer, counts: Answer, golden: Golden, tmp_path: Path
) -> None:
    absent = Absent("no\x07such")
    text = written(
        tmp_path, form, lambda output: output.write(AnswersResult([small, absent, empty]))
    )
    golden(f"results/answers.{form.value}", text)
    text = written(
        tmp_path, form, lambda output: output.write(AnswersResult([absent, counts, counts]))
    )
    golden(f"results/answers-counts.{form.value}", text)
    text = written(tmp_path, form, lambda output: output.write(AnswersResult([absent])))
    golden(f"results/answers-absent.{form.value}", text)


@pytest.mark.parametrize("form", [Form.json, Form.lines, Form.csv])
def test_a_diff_without_changes_is_the_same(
    form: Form, diff: Diff, golden: Golden, tmp_path: Path
) -> None:
    none = Change(diff.came.items.slice(0, 0), diff.came.triples.slice(0, 0))
    same = replace(diff, since=diff.until, came=none, went=none)
    text = written(tmp_path, form, lambda output: output.write(DiffResult(same)))
    golden(f"results/diff-alike.{form.value}", text)


@pytest.mark.parametrize("form", [Form.json, Form.lines, Form.csv])
def test_a_status_with_a_server_or_without_contents_is_the_same(
    form: Form, status: Status, golden: Golden, tmp_path: Path
) -> None:
    served = replace(status, server="http://127.0.0.1:8000", erased=5)
    text = written(tmp_path, form, lambda output: output.write(StatusResult(served)))
    golden(f"results/status.{form.value}", text)
    nothing = replace(status, generation=None, neo4j=None)
    text = written(tmp_path, form, lambda output: output.write(StatusResult(nothing)))
    golden(f"results/status-empty.{form.value}", text)


@pytest.mark.parametrize("form", [Form.json, Form.lines, Form.csv])
def test_rows_of_cypher_are_the_same(form: Form, golden: Golden, tmp_path: Path) -> None:
    text = written(tmp_path, form, lambda output: output.write(RowsResult(COLUMNS, ROWS)))
    golden(f"results/rows.{form.value}", text)
    text = written(tmp_path, form, lambda output: output.write(RowsResult(COLUMNS, [])))
    golden(f"results/rows-none.{form.value}", text)


def test_csv_for_spreadsheets_is_the_same(small: Answer, golden: Golden, tmp_path: Path) -> None:
    def write(output: Writer) -> None:
        formula = small.items.set_column(1, "table", pa.array(["=1", "+1", "-1", "@a"]))
        output.write(AnswerResult(replace(small, items=formula)))
        output.write(RowsResult(COLUMNS, ROWS))

    golden("results/safe.csv", written(tmp_path, Form.csv, write, safe=True))
