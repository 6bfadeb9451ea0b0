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
from provhouse.output.output import Absent
from provhouse.output.path import ROWS
from provhouse.output.table import TableOutput, lasted
from provhouse.query.diff import Change, Diff
from provhouse.query.explain import Explanation
from provhouse.query.find import Finding
from provhouse.query.generations import Generation
from provhouse.query.path import Path
from provhouse.query.status import Status
from provhouse.store.warehouse.manifest import Manifest

Golden = Callable[[str, str], None]


def written(act: Callable[[TableOutput], None], width: int = 80, timing: bool = False) -> str:
    """What an output writes into a pipe, without the spaces that fill its lines."""
    handle = io.StringIO()
    act(TableOutput(handle, width, timing=timing))
    return "".join(line.rstrip(" ") + "\n" for line in handle.getvalue().split("\n")[:-1])


@pytest.mark.parametrize("width", [80, 140])
@pytest.mark.parametrize(
    "name", ["small", "long", "empty", "cyclic", "filtered", "unmatched", "counts"]
)
def test_answer(name: str, width: int, request: pytest.FixtureRequest, golden: Golden) -> None:
    answer = request.getfixturevalue(name)
    text = written(lambda output: output.answer(answer), width)
    assert max(map(len, text.splitlines())) <= width
    golden(f"answer-{name}-{width}.txt", text)


def test_answers(small: Answer, empty: Answer, counts: Answer, golden: Golden) -> None:
    replies: list[Answer | Absent] = [small, Absent("no\x07such"), empty, counts]
    golden("answers.txt", written(lambda output: output.answers(replies)))


@pytest.mark.parametrize("every", [False, True])
def test_path(way: Path, every: bool, golden: Golden) -> None:
    text = written(lambda output: output.path(replace(way, every=every)))
    golden(f"path-{'all' if every else 'one'}.txt", text)


def test_a_long_path_is_cut(way: Path) -> None:
    triples = pa.concat_tables([way.triples] * ROWS)
    text = written(lambda output: output.path(replace(way, triples=triples)))
    assert text.count("summarise") == ROWS // 2
    assert "… 1,000 more steps" in text


def test_finding(finding: Finding, golden: Golden) -> None:
    none = replace(finding, items=finding.items.slice(0, 0), matches=0, truncated=None)
    text = written(lambda output: output.finding(finding))
    golden("finding.txt", text + written(lambda output: output.finding(none)))


def test_timing(small: Answer, golden: Golden) -> None:
    """The steps of one answer, or a column for each beside many."""
    text = written(lambda output: output.answer(small), timing=True)
    assert "\nname      1.0\n" in text
    text += written(lambda output: output.answers([small, Absent("no")]), 140, timing=True)
    golden("timing.txt", text)


def test_explanation(explanation: Explanation, golden: Golden) -> None:
    golden("explanation.txt", written(lambda output: output.explanation(explanation)))


def test_diff(diff: Diff, golden: Golden) -> None:
    golden("diff.txt", written(lambda output: output.diff(diff)))


def test_diff_of_what_is_alike(diff: Diff) -> None:
    none = Change(diff.came.items.slice(0, 0), diff.came.triples.slice(0, 0))
    same = replace(diff, since=diff.until, came=none, went=none)
    text = written(lambda output: output.diff(same))
    assert "upstream, nothing came and nothing went" in text
    assert "does not hold" not in text


def test_generations(generations: list[Generation], golden: Golden) -> None:
    golden("generations.txt", written(lambda output: output.generations(generations), 120))


def test_pruned(pruned: Pruned, golden: Golden) -> None:
    golden("prune.txt", written(lambda output: output.pruned(pruned)))
    nothing = replace(pruned, pruned=0, bytes_freed=0)
    assert "No generation went, 0 bytes came" in written(lambda output: output.pruned(nothing))


def test_exported(manifest: Manifest, golden: Golden) -> None:
    everything = replace(manifest, holds="warehouse", item=None, files=manifest.files[:1])
    one = written(lambda output: output.exported(manifest))
    golden("export.txt", one + written(lambda output: output.exported(everything)))


def test_report(report: Report, golden: Golden) -> None:
    golden("check.txt", written(lambda output: output.report(report)))
    whole = replace(report, damages=(), deep=True)
    assert "Generation 3 is whole." in written(lambda output: output.report(whole))


def test_summary(summary: Summary, golden: Golden) -> None:
    golden("summary.txt", written(lambda output: output.summary(summary)))


def test_summary_of_nothing_new(summary: Summary) -> None:
    text = written(lambda output: output.summary(replace(summary, committed=False)))
    assert text.startswith("Nothing new came in")


def test_summary_of_a_run_that_brings_less(summary: Summary) -> None:
    text = written(lambda output: output.summary(replace(summary, ended=2)))
    assert text.startswith("Generation 2: 1,000 new triples, 1 new item, 2 triples ended.")


def test_forgotten(forgotten: Forgotten, golden: Golden) -> None:
    few = replace(forgotten, names=2, rejected=0, neo4j=False)
    one = written(lambda output: output.forgotten(forgotten))
    golden("forgotten.txt", one + written(lambda output: output.forgotten(few)))


def test_what_leads_through_erased_items_says_so(
    erased: Answer, all_erased: Answer, way: Path, diff: Diff, manifest: Manifest, status: Status
) -> None:
    assert "through 1,200 items that were erased." in written(lambda o: o.answer(erased))
    text = written(lambda output: output.answer(all_erased))
    assert "has nothing upstream that was not erased." in text
    assert "It leads through 1 item that was erased." in text
    told = written(lambda output: output.path(replace(way, erased=1)))
    assert "It leads through 1 item that was erased." in told
    held = replace(diff.until, answer=erased)
    told = written(lambda output: output.diff(replace(diff, since=held, until=held)))
    assert told.count("It leads through 1,200 items that were erased.") == 2
    told = written(lambda output: output.exported(replace(manifest, erased=3)))
    assert "left out are 3 triples of erased items." in " ".join(told.split())
    told = written(lambda output: output.status(replace(status, erased=5)))
    assert "5 of the items" in told


def test_retraction(retraction: Retraction, golden: Golden) -> None:
    golden("retraction.txt", written(lambda output: output.retraction(retraction)))
    none = replace(retraction, committed=False)
    assert written(lambda output: output.retraction(none)).startswith("Nothing is left of it")


@pytest.mark.parametrize("width", [80, 140])
def test_preview(preview: Preview, width: int, golden: Golden) -> None:
    golden(f"preview-{width}.txt", written(lambda output: output.preview(preview), width))


@pytest.mark.parametrize("generation", [None, 3])
def test_status(status: Status, generation: int | None, golden: Golden) -> None:
    status = replace(status, generation=generation, neo4j="bolt://x" if generation else None)
    golden(f"status-{generation}.txt", written(lambda output: output.status(status)))


def test_rows(golden: Golden) -> None:
    rows = [(1, "[bold]x", None), (True, {"a": [1, "é"]}, 0.5)]
    golden("rows.txt", written(lambda output: output.rows(["n", "name\n", "z"], rows)))


def test_names_do_nothing_to_a_terminal(small: Answer) -> None:
    text = written(lambda output: output.answer(small), 200)
    assert "odd \\x1b[31m[red]\\u202eevil\\nline\\tname" in text
    assert not set("\x1b\u202e\t") & set(text)


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.0004, "0 ms"), (0.0451, "45 ms"), (2.34, "2.3 s"), (600, "10.0 min")]
)
def test_lasted(seconds: float, text: str) -> None:
    assert lasted(seconds) == text
