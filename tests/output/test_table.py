"""Printed results equal the golden files. Each result is printed at one or two widths."""

import io
from collections.abc import Callable
from dataclasses import replace

import pyarrow as pa
import pytest

from provhouse.care.damage_report import Report
from provhouse.care.forget import Forgotten
from provhouse.care.prune import Pruned
from provhouse.care.retract import Retraction
from provhouse.ingest.ingest_summary import Summary
from provhouse.ingest.preview import Preview
from provhouse.model.answer import Answer
from provhouse.output.phrases import duration
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
from provhouse.output.results.path import ROWS, PathResult
from provhouse.output.results.preview_view import PreviewResult
from provhouse.output.results.prune import PruneResult
from provhouse.output.results.retraction import RetractionResult
from provhouse.output.results.status import StatusResult
from provhouse.output.shown_result import ShownResult
from provhouse.output.table import TableWriter
from provhouse.query.lineage.cost_estimates import Explanation
from provhouse.query.lineage.diff import Change, Diff
from provhouse.query.lineage.path import Paths
from provhouse.query.listing.find import Finding
from provhouse.query.listing.generations import Generation
from provhouse.query.listing.status import Status
from provhouse.store.warehouse.manifest import Manifest

Golden = Callable[[str, str], None]


def written(result: ShownResult, width: int = 80, timing: bool = False) -> str:
    """Return a result as a pipe receives it, without trailing spaces."""
    handle = io.StringIO()
    TableWriter(handle, width, timing=timing).write(result)
    return "".join(line.rstrip(" ") + "\n" for line in handle.getvalue().split("\n")[:-1])


@pytest.mark.parametrize("width", [80, 140])
@pytest.mark.parametrize(
    "name", ["small", "long", "empty", "cyclic", "filtered", "unmatched", "counts"]
)
def test_an_answer_fits_the_width(
    name: str, width: int, request: pytest.FixtureRequest, golden: Golden
) -> None:
    answer = request.getfixturevalue(name)
    text = written(AnswerResult(answer), width)
    assert max(map(len, text.splitlines())) <= width
    golden(f"answer-{name}-{width}.txt", text)


def test_answers_to_many_have_a_row_each(
    small: Answer, empty: Answer, counts: Answer, golden: Golden
) -> None:
    replies: list[Answer | Absent] = [small, Absent("no\x07such"), empty, counts]
    golden("answers.txt", written(AnswersResult(replies)))


@pytest.mark.parametrize("every", [False, True])
def test_a_path_shows_its_steps(way: Paths, every: bool, golden: Golden) -> None:
    text = written(PathResult(replace(way, every=every)))
    golden(f"path-{'all' if every else 'one'}.txt", text)


@pytest.mark.long
def test_a_long_path_is_shortened(way: Paths) -> None:
    triples = pa.concat_tables([way.triples] * ROWS)
    text = written(PathResult(replace(way, triples=triples)))
    assert text.count("summarise") == ROWS // 2
    assert "… 1,000 more steps" in text


def test_found_items_have_a_line_each(finding: Finding, golden: Golden) -> None:
    none = replace(finding, items=finding.items.slice(0, 0), matches=0, truncated=None)
    text = written(FindingResult(finding))
    golden("finding.txt", text + written(FindingResult(none)))


def test_timing_adds_the_steps(small: Answer, golden: Golden) -> None:
    """The timing of one answer is a table of steps. For many answers, each step is a column."""
    text = written(AnswerResult(small), timing=True)
    assert "\nname      1.0\n" in text
    text += written(AnswersResult([small, Absent("no")]), 140, timing=True)
    golden("timing.txt", text)


def test_an_explanation_compares_the_methods(explanation: Explanation, golden: Golden) -> None:
    golden("explanation.txt", written(ExplanationResult(explanation)))


def test_a_diff_shows_what_was_added_and_removed(diff: Diff, golden: Golden) -> None:
    golden("diff.txt", written(DiffResult(diff)))


def test_a_diff_may_be_empty(diff: Diff) -> None:
    none = Change(diff.came.items.slice(0, 0), diff.came.triples.slice(0, 0))
    same = replace(diff, since=diff.until, came=none, went=none)
    text = written(DiffResult(same))
    assert "upstream, generation 3 to 3: nothing added, nothing removed." in text
    assert "not in generation" not in text


def test_generations_have_a_line_each(generations: list[Generation], golden: Golden) -> None:
    golden("generations.txt", written(GenerationsResult(generations), 120))
    narrow = written(GenerationsResult(generations), 80)
    golden("generations-80.txt", narrow)
    wide = written(GenerationsResult(generations), 200)
    assert set(narrow.split()) <= set(wide.split())  # no word is broken


def test_a_prune_says_what_it_freed(pruned: Pruned, golden: Golden) -> None:
    golden("prune.txt", written(PruneResult(pruned)))
    nothing = replace(pruned, pruned=0, bytes_freed=0)
    assert "Pruned no generations and freed 0 bytes." in written(PruneResult(nothing))


def test_an_export_is_a_sentence(manifest: Manifest, golden: Golden) -> None:
    everything = replace(manifest, holds="warehouse", item=None, files=manifest.files[:1])
    one = written(ExportResult(manifest))
    golden("export.txt", one + written(ExportResult(everything)))


def test_a_check_names_each_damage(report: Report, golden: Golden) -> None:
    golden("check.txt", written(CheckResult(report)))
    intact = replace(report, damages=(), deep=True)
    assert "Generation 3 is intact." in written(CheckResult(intact))


def test_an_ingest_shows_its_counts(summary: Summary, golden: Golden) -> None:
    golden("summary.txt", written(IngestResult(summary)))


def test_an_ingest_may_bring_nothing_new(summary: Summary) -> None:
    text = written(IngestResult(replace(summary, committed=False)))
    assert text.startswith("Nothing new; the warehouse is unchanged.")


def test_a_run_that_brings_less_ends_triples(summary: Summary) -> None:
    text = written(IngestResult(replace(summary, ended=2)))
    assert text.startswith("Generation 2: 1,000 new triples, 1 new item, 2 triples ended.")


def test_an_erasure_shows_numbers_only(forgotten: Forgotten, golden: Golden) -> None:
    few = replace(forgotten, names=2, rejected=0, neo4j=False)
    one = written(ForgetResult(forgotten))
    golden("forgotten.txt", one + written(ForgetResult(few)))


def test_erased_items_are_counted(
    erased: Answer, all_erased: Answer, way: Paths, diff: Diff, manifest: Manifest, status: Status
) -> None:
    assert "1,200 erased items along the way are not shown." in written(AnswerResult(erased))
    text = written(AnswerResult(all_erased))
    assert "has nothing upstream except erased items." in text
    assert "1 erased item along the way is not shown." in text
    text = written(PathResult(replace(way, erased=1)))
    assert "1 erased item along the way is not shown." in text
    side = replace(diff.until, erased=erased.erased)
    text = written(DiffResult(replace(diff, since=side, until=side)))
    assert text.count("1,200 erased items along the way are not shown.") == 2
    text = written(ExportResult(replace(manifest, erased=3)))
    assert "Left out 3 triples of erased items." in " ".join(text.split())
    text = written(StatusResult(replace(status, erased=5)))
    assert "5 of the items" in text


def test_a_retraction_shows_its_counts(retraction: Retraction, golden: Golden) -> None:
    golden("retraction.txt", written(RetractionResult(retraction)))
    none = replace(retraction, committed=False)
    assert written(RetractionResult(none)).startswith("Nothing left to retract")


@pytest.mark.parametrize("width", [80, 140])
def test_a_preview_shows_columns_and_components(
    preview: Preview, width: int, golden: Golden
) -> None:
    golden(f"preview-{width}.txt", written(PreviewResult(preview), width))


@pytest.mark.parametrize("generation", [None, 3])
def test_a_status_has_a_line_for_each_fact(
    status: Status, generation: int | None, golden: Golden
) -> None:
    status = replace(status, generation=generation, neo4j="bolt://x" if generation else None)
    golden(f"status-{generation}.txt", written(StatusResult(status)))


def test_rows_are_a_table(golden: Golden) -> None:
    rows = [(1, "[bold]x", None), (True, {"a": [1, "é"]}, 0.5)]
    golden("rows.txt", written(RowsResult(["n", "name\n", "z"], rows)))


def test_names_cannot_control_a_terminal(small: Answer) -> None:
    text = written(AnswerResult(small), 200)
    assert "odd \\x1b[31m[red]\\u202eevil\\nline\\tname" in text
    assert not set("\x1b\u202e\t") & set(text)


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.0004, "0 ms"), (0.0451, "45 ms"), (2.34, "2.3 s"), (600, "10.0 min")]
)
def test_durations_have_a_fitting_unit(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_an_empty_finding_offers_to_search_anywhere(finding: Finding) -> None:
    none = replace(finding, matches=0, truncated=None, items=finding.items.slice(0, 0))
    offer = "No name begins with this text. Add --anywhere to search within names."
    assert offer in written(FindingResult(replace(none, anywhere=False)))
    assert "--anywhere" not in written(FindingResult(none))
    assert "--anywhere" not in written(FindingResult(replace(finding, anywhere=False)))
