"""Write which versions of Spark passed which tests in `make test-long` to a file of results.

A test that the run did not execute keeps its earlier outcome, with the earlier date.
"""

import json
from typing import TypedDict

from benchmarks import ROOT
from benchmarks.shared.markup import grid
from benchmarks.shared.results_file import ResultsFile
from provhouse.capturing.spark_versions import VERSIONS


class Outcome(TypedDict):
    """The last outcome of a test on a version of Spark."""

    passed: bool
    date: str


Results = dict[str, dict[str, Outcome]]
"""For each test, the outcomes by version."""
RESULTS = ResultsFile[Results]("spark_versions.json")
TESTS = {
    "test_a_job_has_the_associations_of_the_same_job_on_our_spark": "34 queries",
    "test_a_job_in_python_with_its_own_extensions_writes_delta": "Python, with Delta",
    "test_random_changes_have_the_lineage_of_the_model": "UPDATE, DELETE, MERGE",
    "test_moved_rows_keep_their_versions[OPTIMIZE {}]": "OPTIMIZE",
    "test_moved_rows_keep_their_versions[REORG TABLE {} APPLY (PURGE)]": "REORG",
    "test_a_job_in_sql_is_captured": "SQL",
    "test_a_job_in_scala_is_captured": "Scala",
    "test_a_job_on_spark_connect_is_captured": "Connect",
    "test_lineage_is_fetched_with_the_files_of_its_tables[hdfs]": "HDFS",
    "test_lineage_is_fetched_with_the_files_of_its_tables[retried, hdfs]": "HDFS, retries",
    "test_lineage_is_fetched_with_the_files_of_its_tables[s3]": "S3",
    "test_lineage_is_fetched_with_the_files_of_its_tables[retried, s3]": "S3, retries",
    "test_tasks_fail_run_twice_and_lose_their_executor": "failures",
    "test_a_driver_is_killed_in_the_middle_of_a_write": "killed driver",
    "test_the_wheel_of_capture_suffices_for_a_job": "`provhouse-capture`",
    "test_a_block_lands_and_walks": "block and walks",
    "test_the_commands_of_the_page_on_hdfs": "this page, HDFS",
    "test_the_commands_of_the_page_on_s3": "this page, S3",
    "test_the_commands_of_the_page_in_a_folder": "this page, a folder",
}
"""The lines of the table, by the names of the tests and their other parameters."""


def main() -> None:
    """Run from the command line: add the outcomes of the last run."""
    results = RESULTS.read(missing={})
    file = ROOT / ".long" / "spark-versions.jsonl"
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    for line in map(json.loads, lines):
        if line["test"] in TESTS:
            outcome: Outcome = {"passed": line["passed"], "date": line["date"]}
            results.setdefault(line["test"], {})[line["version"]] = outcome
    RESULTS.write(results)


def table(results: Results) -> str:
    """Return a table of tests and versions."""
    head = ("Spark", *(f"{version.spark}, {version.scala}" for version in VERSIONS))
    rows = [
        (name, *(_cell(results, test, str(version)) for version in VERSIONS))
        for test, name in TESTS.items()
    ]
    return grid(head, rows, left=range(len(head)))


def _cell(results: Results, test: str, version: str) -> str:
    found = results.get(test, {}).get(version)
    if found is None:
        return "-"
    return found["date"] if found["passed"] else f"**fails** {found['date']}"


if __name__ == "__main__":
    main()
