"""Any CSV reader reads back exactly the values that were written."""

import csv
import io
from dataclasses import replace

from provhouse.care.damage_report import Report
from provhouse.care.forget import Forgotten
from provhouse.care.prune import Pruned
from provhouse.care.retract import Retraction
from provhouse.ingest.ingest_summary import Summary
from provhouse.ingest.preview import Preview
from provhouse.model.answer import Answer
from provhouse.output.csv_writer import CsvWriter
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
from provhouse.output.shown_result import ShownResult
from provhouse.query.lineage.cost_estimates import Explanation
from provhouse.query.lineage.diff import Diff
from provhouse.query.lineage.path import Paths
from provhouse.query.listing.find import Finding
from provhouse.query.listing.generations import Generation
from provhouse.query.listing.status import Status
from provhouse.store.warehouse.manifest import Manifest


def written(result: ShownResult) -> str:
    """Return the CSV of a result."""
    handle = io.StringIO()
    CsvWriter(handle).write(result)
    return handle.getvalue()


def read(text: str) -> list[list[str]]:
    """Return the rows of a CSV string."""
    return list(csv.reader(io.StringIO(text, newline="")))


def test_an_answer_has_a_row_for_each_item(small: Answer) -> None:
    rows = read(written(AnswerResult(small)))
    assert rows[0] == ["item", "table", "depth"]
    assert rows[1:] == [list(map(str, row.values())) for row in small.items.to_pylist()]


def test_a_summary_has_a_row_for_each_count(counts: Answer) -> None:
    rows = [["table", "monthly", "1"], ["table", "", "1200"], ["table", "raw\n", "2"],
            ["op", "clean", "1300"], ["op", "", "1"]]  # fmt: skip
    assert read(written(AnswerResult(counts))) == [["kind", "name", "count"], *rows]
    many = read(written(AnswersResult([Absent("no"), counts])))
    assert many == [["asked", "kind", "name", "count"], *([counts.item, *row] for row in rows)]


def test_no_answer_leaves_only_a_header() -> None:
    assert written(AnswersResult([Absent("no")])) == "asked,item,table,depth\n"


def test_a_path_has_a_row_for_each_triple(way: Paths) -> None:
    rows = read(written(PathResult(way)))
    assert rows[0] == ["src", "dst", "op", "attributes"]
    assert rows[1:] == [list(row.values()) for row in way.triples.to_pylist()]


def test_found_items_have_a_row_each(finding: Finding) -> None:
    rows = read(written(FindingResult(finding)))
    assert rows == [["item", "table"], *(list(r.values()) for r in finding.items.to_pylist())]


def test_any_name_is_read_back_exactly() -> None:
    odd = 'a,"b"\r\nc\rd\ne '
    rows = [[odd, "\r"], ["", odd]]
    text = written(RowsResult(["x", "y"], rows))
    assert read(text) == [["x", "y"], *rows]
    assert text.startswith("x,y\n")


def test_answers_to_many_begin_with_the_item_asked(small: Answer, empty: Answer) -> None:
    rows = read(written(AnswersResult([empty, Absent("no"), small])))
    assert rows[0] == ["asked", "item", "table", "depth"]
    assert {row[0] for row in rows[1:]} == {small.item}
    assert len(rows) == 1 + small.items.num_rows


def test_an_explanation_has_a_row_for_each_method(explanation: Explanation) -> None:
    rows = read(written(ExplanationResult(explanation)))
    assert rows[:2] == [
        ["method", "taken", "sets", "partitions", "triples", "levels", "seconds", "prepare",
         "levels_guessed"],
        ["csprov", "true", "2", "1", "17", "", "0.04512", "0.0", "false"],
    ]  # fmt: skip
    assert [row[1] for row in rows[2:]] == ["false", "false"]


def test_a_diff_has_a_row_for_each_triple(diff: Diff) -> None:
    rows = read(written(DiffResult(diff)))
    assert rows[0] == ["change", "src", "dst", "op", "attributes"]
    assert [row[0] for row in rows[1:]] == ["came"] * 4 + ["went"] * 30
    assert rows[1][1:] == list(diff.came.triples.to_pylist()[0].values())


def test_each_generation_has_a_row(generations: list[Generation]) -> None:
    header, *rows = read(written(GenerationsResult(generations)))
    assert header[:5] == ["generation", "time", "current", "change", "back_to"]
    assert rows[2][2:5] == ["false", "rollback", "1"]
    assert [row[4] for row in rows] == ["", "", "1", "", "", "", "0"]


def test_lists_are_json_in_a_cell(pruned: Pruned) -> None:
    header, row = read(written(PruneResult(pruned)))
    assert dict(zip(header, row, strict=True))["bases"] == "[1, 3]"


def test_each_exported_file_has_a_row(manifest: Manifest) -> None:
    header, *rows = read(written(ExportResult(manifest)))
    assert header == ["name", "rows", "bytes", "sha256"]
    assert rows[1] == ["triples-00002.parquet", "1", "678", "ff" * 32]


def test_each_damage_has_a_row(report: Report) -> None:
    header, *rows = read(written(CheckResult(report)))
    assert header == ["where", "wanted", "found", "remedy"]
    assert [row[0] for row in rows] == ["table sets", "Neo4j"]


def test_an_ingest_has_one_row_of_counts(summary: Summary) -> None:
    header, values = read(written(IngestResult(summary)))
    row = dict(zip(header, values, strict=True))
    assert (row["triples"], row["seconds"]) == ("1234567", "4.0")
    assert "committed" not in row


def test_a_retraction_has_one_row_of_counts(retraction: Retraction) -> None:
    header, values = read(written(RetractionResult(retraction)))
    assert header == ["generation", "ended", "kept", "triples", "seconds"]
    assert values == ["4", "1200", "1", "1234567", "0.75"]


def test_an_erasure_has_one_row_of_counts(forgotten: Forgotten) -> None:
    header, values = read(written(ForgetResult(forgotten)))
    assert header == ["generation", "names", "items", "triples", "rejected", "neo4j", "seconds"]
    assert values == ["4", "1", "2", "1200", "1", "true", "0.75"]


def test_a_preview_has_one_row_of_counts(preview: Preview) -> None:
    header, values = read(written(PreviewResult(preview)))
    row = dict(zip(header, values, strict=True))
    assert (row["rows"], row["new_items"], row["seconds"]) == ("1000003", "699999", "4.0")
    assert "forms" not in row


def test_a_status_has_one_row(status: Status) -> None:
    header, values = read(written(StatusResult(replace(status, generation=None))))
    row = dict(zip(header, values, strict=True))
    assert (row["warehouse"], row["generation"], row["items"]) == ("/w", "", "7")


def test_cells_are_plain_values_or_json() -> None:
    rows = read(written(RowsResult(["a", "b"], [(True, None), ([1], {"é": 2})])))
    assert rows[1:] == [["true", ""], ["[1]", '{"é": 2}']]


def test_safe_csv_has_no_formulas() -> None:
    """Cells that could be formulas get an apostrophe, but numbers do not. All cells are quoted.

    Quotes are needed because some programs split cells at semicolons.
    """
    texts = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1", "a;=cmd", 'a"=1', ""]  # noqa: RUF001
    handle = io.StringIO()
    rows: list[list[object]] = [[text] for text in [*texts, -5, None]]
    CsvWriter(handle, safe=True).write(RowsResult(["=column"], rows))
    cells = [row[0] for row in read(handle.getvalue())]
    assert cells[0] == "'=column"
    assert cells[1:9] == [f"'{text}" for text in texts[:8]]
    assert cells[9:] == ["a;=cmd", 'a"=1', "", "-5", ""]
    assert '"a;=cmd"' in handle.getvalue()
    assert read(written(RowsResult(["a"], [["=1"]])))[1] == [
        "=1"
    ]  # without ``safe``, the text is exact
