"""``reuse --dbt``: exit statuses, output formats, and refused arguments."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from helpers.dbt_edits import BASE, base_manifest, write_target
from helpers.dbt_shop import ROOT, TARGETS
from provhouse.cli.app import run

SCHEMA = json.loads((ROOT / "output/schemas/dbt-reuse.json").read_text(encoding="utf-8"))
Output = pytest.CaptureFixture[str]


def _reuse(edit: Path | str, *options: str) -> int:
    target = TARGETS / edit if isinstance(edit, str) else edit
    return run(["reuse", "--dbt", str(target), "--base", str(BASE), *options])


@pytest.mark.parametrize(("edit", "status"), [("base", 0), ("refactored", 0), ("changed", 3)])
def test_the_exit_status_says_whether_something_must_be_built(
    edit: str, status: int, capsys: Output
) -> None:
    assert _reuse(edit, "--format", "json") == status
    found = json.loads(capsys.readouterr().out)
    jsonschema.validate(found, SCHEMA)
    assert bool(found["build"]) == (status == 3)


def test_text_for_people_has_lines_of_80_characters(
    capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    _reuse("changed", "--format", "table")
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("8 to build; dbt builds 13 for state:modified+")
    assert max(map(len, lines)) <= 80


def test_a_page_for_github_has_a_table_and_folded_examples(capsys: Output) -> None:
    _reuse("changed", "--format", "github")
    page = capsys.readouterr().out
    assert "| stg_orders | different | yes | it has new channel (channel) |" in page
    assert page.count("<details>") == page.count("</details>") == 4
    assert "5 of 8 readers need no build" in page


def test_names_are_neither_markup_nor_people(tmp_path: Path, capsys: Output) -> None:
    manifest = base_manifest()
    name = "a|b<img>@ann*_x_"
    node = manifest["nodes"]["model.shop.c"] | {"unique_id": f"model.shop.{name}", "name": name}
    manifest["nodes"][f"model.shop.{name}"] = node
    write_target(tmp_path, manifest)
    assert _reuse(tmp_path, "--format", "github") == 3
    page = capsys.readouterr().out
    assert "a&#124;b&lt;img&gt;&#64;ann&#42;&#95;x&#95;" in page


def test_csv_has_a_row_for_each_node(capsys: Output) -> None:
    _reuse("changed", "--format", "csv")
    rows = capsys.readouterr().out.splitlines()
    assert rows[0] == "node,changed,verdict,reason,columns,build,why_built"
    assert len(rows) == 1 + 5 + 8


@pytest.mark.parametrize(
    ("change", "status", "text"),
    [
        ({"dbt_schema_version": "https://x/dbt/manifest/v99.json"}, 4, "is not supported"),
        ({"adapter_type": "snowflake"}, 4, "adapter snowflake"),
    ],
)
def test_what_is_not_known_is_refused_by_name(
    change: dict[str, Any], status: int, text: str, tmp_path: Path, capsys: Output
) -> None:
    manifest = base_manifest()
    write_target(tmp_path, manifest | {"metadata": manifest["metadata"] | change})
    assert _reuse(tmp_path) == status
    assert text in capsys.readouterr().err


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"metadata": {}}', "\0"])
def test_a_file_that_is_no_manifest_is_refused(text: str, tmp_path: Path, capsys: Output) -> None:
    (tmp_path / "manifest.json").write_text(text, encoding="utf-8")
    assert _reuse(tmp_path) == 4
    assert "Traceback" not in capsys.readouterr().err


def test_a_manifest_without_nodes_is_refused(tmp_path: Path, capsys: Output) -> None:
    write_target(tmp_path, {"metadata": base_manifest()["metadata"]})
    assert _reuse(tmp_path) == 4
    assert "lack parts" in capsys.readouterr().err


def test_two_folders_are_needed(capsys: Output) -> None:
    assert run(["reuse", "--dbt", str(BASE)]) == 2
    assert run(["reuse", "--dbt", str(BASE / "none"), "--base", str(BASE)]) == 4
