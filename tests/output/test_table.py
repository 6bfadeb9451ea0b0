"""The forms for people, as golden files at two widths."""

import io
from collections.abc import Callable
from dataclasses import replace

import pyarrow as pa
import pytest

from provhouse.care.report import Report
from provhouse.changes.forget import Forgotten
from provhouse.changes.prune import Pruned
from provhouse.changes.retract import Retraction
from provhouse.ingest.preview import Preview
from provhouse.ingest.summary import Summary
from provhouse.model.answer import Answer
from provhouse.output.phrases import duration
from provhouse.output.result import Result
from provhouse.output.results.answer import AnswerResult
from provhouse.output.results.answers import Absent, AnswersResult
from provhouse.output.results.check import CheckResult
from provhouse.output.results.diff import DiffResult
from provhouse.output.results.explanation import ExplanationResult
from provhouse.output.results.export import ExportResult
from provhouse.output.results.finding import FindingResult
from provhouse.output.results.forget import ForgetResult
from provhouse.output.results.generations import GenerationsResult
from provhouse.output.results.ingest import IngestResult
from provhouse.output.results.path import ROWS, PathResult
from provhouse.output.results.preview import PreviewResult
from provhouse.output.results.prune import PruneResult
from provhouse.output.results.retraction import RetractionResult
from provhouse.output.results.rows import RowsResult
from provhouse.output.results.status import StatusResult
from provhouse.output.table import TableWriter
from provhouse.query.diff import Change, Diff
from provhouse.query.explain import Explanation
from provhouse.query.find import Finding
from provhouse.query.generations import Generation
from provhouse.query.path import Path
from provhouse.query.status import Status
from provhouse.store.warehouse.manifest import Manifest

Golden = Callable[[str, str], None]


def written(result: Result, width: int = 80, timing: bool = False) -> str:
    """What an output writes into a pipe, without the spaces that fill its lines."""
    handle = io.StringIO()
    TableWriter(handle, width, timing=timing).write(result)
    return "".join(line.rstrip(" ") + "\n" for line in handle.getvalue().split("\n")[:-1])


@pytest.mark.parametrize("width", [80, 140])
@pytest.mark.parametrize(
    "name", ["small", "long", "empty", "cyclic", "filtered", "unmatched", "counts"]
)
def test_answer(name: str, width: int, request: pytest.FixtureRequest, golden: Golden) -> None:
    answer = request.getfixturevalue(name)
    text = written(AnswerResult(answer), width)
    assert max(map(len, text.splitlines())) <= width
    golden(f"answer-{name}-{width}.txt", text)


def test_answers(small: Answer, empty: Answer, counts: Answer, golden: Golden) -> None:
    replies: list[Answer | Absent] = [small, Absent("no\x07such"), empty, counts]
    golden("answers.txt", written(AnswersResult(replies)))


@pytest.mark.parametrize("every", [False, True])
def test_path(way: Path, every: bool, golden: Golden) -> None:
    text = written(PathResult(replace(way, every=every)))
    golden(f"path-{'all' if every else 'one'}.txt", text)


def test_a_long_path_is_cut(way: Path) -> None:
    triples = pa.concat_tables([way.triples] * ROWS)
    text = written(PathResult(replace(way, triples=triples)))
    assert text.count("summarise") == ROWS // 2
    assert "… 1,000 more steps" in text


def test_finding(finding: Finding, golden: Golden) -> None:
    none = replace(finding, items=finding.items.slice(0, 0), matches=0, truncated=None)
    text = written(FindingResult(finding))
    golden("finding.txt", text + written(FindingResult(none)))


def test_timing(small: Answer, golden: Golden) -> None:
    """The steps of one answer, or a column for each beside many."""
    text = written(AnswerResult(small), timing=True)
    assert "\nname      1.0\n" in text
    text += written(AnswersResult([small, Absent("no")]), 140, timing=True)
    golden("timing.txt", text)


def test_explanation(explanation: Explanation, golden: Golden) -> None:
    golden("explanation.txt", written(ExplanationResult(explanation)))


def test_diff(diff: Diff, golden: Golden) -> None:
    golden("diff.txt", written(DiffResult(diff)))


def test_diff_of_what_is_alike(diff: Diff) -> None:
    none = Change(diff.came.items.slice(0, 0), diff.came.triples.slice(0, 0))
    same = replace(diff, since=diff.until, came=none, went=none)
    text = written(DiffResult(same))
    assert "upstream, nothing came and nothing went" in text
    assert "does not hold" not in text


def test_generations(generations: list[Generation], golden: Golden) -> None:
    golden("generations.txt", written(GenerationsResult(generations), 120))


def test_pruned(pruned: Pruned, golden: Golden) -> None:
    golden("prune.txt", written(PruneResult(pruned)))
    nothing = replace(pruned, pruned=0, bytes_freed=0)
    assert "No generation went, 0 bytes came" in written(PruneResult(nothing))


def test_exported(manifest: Manifest, golden: Golden) -> None:
    everything = replace(manifest, holds="warehouse", item=None, files=manifest.files[:1])
    one = written(ExportResult(manifest))
    golden("export.txt", one + written(ExportResult(everything)))


def test_report(report: Report, golden: Golden) -> None:
    golden("check.txt", written(CheckResult(report)))
    whole = replace(report, damages=(), deep=True)
    assert "Generation 3 is whole." in written(CheckResult(whole))


def test_summary(summary: Summary, golden: Golden) -> None:
    golden("summary.txt", written(IngestResult(summary)))


def test_summary_of_nothing_new(summary: Summary) -> None:
    text = written(IngestResult(replace(summary, committed=False)))
    assert text.startswith("Nothing new came in")


def test_summary_of_a_run_that_brings_less(summary: Summary) -> None:
    text = written(IngestResult(replace(summary, ended=2)))
    assert text.startswith("Generation 2: 1,000 new triples, 1 new item, 2 triples ended.")


def test_forgotten(forgotten: Forgotten, golden: Golden) -> None:
    few = replace(forgotten, names=2, rejected=0, neo4j=False)
    one = written(ForgetResult(forgotten))
    golden("forgotten.txt", one + written(ForgetResult(few)))


def test_what_leads_through_erased_items_says_so(
    erased: Answer, all_erased: Answer, way: Path, diff: Diff, manifest: Manifest, status: Status
) -> None:
    assert "through 1,200 items that were erased." in written(AnswerResult(erased))
    text = written(AnswerResult(all_erased))
    assert "has nothing upstream that was not erased." in text
    assert "It leads through 1 item that was erased." in text
    told = written(PathResult(replace(way, erased=1)))
    assert "It leads through 1 item that was erased." in told
    held = replace(diff.until, answer=erased)
    told = written(DiffResult(replace(diff, since=held, until=held)))
    assert told.count("It leads through 1,200 items that were erased.") == 2
    told = written(ExportResult(replace(manifest, erased=3)))
    assert "left out are 3 triples of erased items." in " ".join(told.split())
    told = written(StatusResult(replace(status, erased=5)))
    assert "5 of the items" in told


def test_retraction(retraction: Retraction, golden: Golden) -> None:
    golden("retraction.txt", written(RetractionResult(retraction)))
    none = replace(retraction, committed=False)
    assert written(RetractionResult(none)).startswith("Nothing is left of it")


@pytest.mark.parametrize("width", [80, 140])
def test_preview(preview: Preview, width: int, golden: Golden) -> None:
    golden(f"preview-{width}.txt", written(PreviewResult(preview), width))


@pytest.mark.parametrize("generation", [None, 3])
def test_status(status: Status, generation: int | None, golden: Golden) -> None:
    status = replace(status, generation=generation, neo4j="bolt://x" if generation else None)
    golden(f"status-{generation}.txt", written(StatusResult(status)))


def test_rows(golden: Golden) -> None:
    rows = [(1, "[bold]x", None), (True, {"a": [1, "é"]}, 0.5)]
    golden("rows.txt", written(RowsResult(["n", "name\n", "z"], rows)))


def test_names_do_nothing_to_a_terminal(small: Answer) -> None:
    text = written(AnswerResult(small), 200)
    assert "odd \\x1b[31m[red]\\u202eevil\\nline\\tname" in text
    assert not set("\x1b\u202e\t") & set(text)


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.0004, "0 ms"), (0.0451, "45 ms"), (2.34, "2.3 s"), (600, "10.0 min")]
)
def test_lasted(seconds: float, text: str) -> None:
    assert duration(seconds) == text
