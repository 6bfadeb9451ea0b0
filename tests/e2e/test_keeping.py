"""Commands that prune generations, and that export and import triples."""

from pathlib import Path

import pytest

from helpers.command import Command

from .test_results import valid


def test_exports_and_prunes_that_need_no_spark(
    stored: Command, fresh: Command, tmp_path: Path
) -> None:
    folder = tmp_path / "exported"
    manifest = valid("manifest", stored("export", folder, "--format", "json").out)
    assert valid("manifest", (folder / "manifest.json").read_text()) == manifest
    assert (manifest["holds"], manifest["triples"], manifest["items"]) == ("warehouse", 4, 5)
    assert "not empty" in stored("export", folder, status=2).message
    assert "Both" in stored("export", "x", "--lineage", "a", "--impact", "b", status=2).message
    torn = folder / "triples-00001.parquet"
    torn.write_bytes(torn.read_bytes()[:-1])
    assert str(torn) in fresh("import", folder, status=4).message
    assert "a number of generations to keep" in stored("prune", status=2).message
    done = stored("prune", "--keep", "9", "--format", "table")
    assert done.out.startswith("Pruned no generations and freed 0 bytes.")
    assert "generations 1 to 1" in done.out


@pytest.mark.long
def test_an_exported_warehouse_can_be_imported(
    stored: Command, fresh: Command, tmp_path: Path
) -> None:
    folder = tmp_path / "exported"
    stored("export", folder)
    summary = valid("ingest", fresh("import", folder).out)
    assert [summary[name] for name in ("triples", "items", "rejected")] == [4, 5, 0]
    answers = [valid("answer", one("lineage", "report").out) for one in (stored, fresh)]
    for name in ("items", "triples", "complete"):
        assert answers[0][name] == answers[1][name]

    lineage = tmp_path / "lineage"
    done = fresh("export", lineage, "--lineage", "clean/1", "--format", "table")
    assert done.out.startswith("Exported the lineage of clean/1 as of generation 1: 1 triple and 2")
    assert valid("ingest", fresh("import", lineage).out)["duplicates"] == 1


@pytest.mark.long
def test_pruned_generations_cannot_be_asked(fresh: Command, first_file: Path) -> None:
    fresh("ingest", first_file)
    fresh("ingest", first_file, "--replace")
    done = valid("prune", fresh("prune", "--keep", "1").out)
    assert (done["first"], done["pruned"], done["bases"], done["in_use"]) == (2, 1, [1], [])
    assert done["bytes_freed"] > 0
    assert "It was pruned" in fresh("lineage", "report", "--as-of", "1", status=3).message
    assert "was pruned" in fresh("rollback", status=3).message
