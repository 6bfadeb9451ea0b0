"""The 22 queries of TPC-H: same results as plain Spark, and each row comes back from its witnesses.

The long form records an outcome for each query, from which ``benchmarks/capture_coverage.py`` makes
``docs/capture-coverage.md``.
"""

import json
from pathlib import Path
from time import perf_counter

import pytest
from pyspark.sql import SparkSession

from helpers.tpch import write_tpch
from helpers.witnesses import again, captured, query, read, rows_of
from provhouse.model.errors import UsageError

QUERIES = Path(__file__).parent / "tpch"
RECORD = Path(__file__).parent.parent.parent / ".long" / "coverage.jsonl"
NAMES = sorted(path.stem for path in QUERIES.glob("*.sql"))
DAILY = ("q16", "q22")
WHOLE = {"q16": ("supplier",), "q22": ("orders",)}
"""Tables that stay whole: the query only asks which rows they lack."""
ROWS = 3
"""The number of rows of each query whose witnesses are tried."""


def outcome(
    name: str, spark: SparkSession, source: Path, folder: Path, rows: int
) -> dict[str, object]:
    """Capture a query and check it; return what the scoreboard says about it."""
    program = query((QUERIES / f"{name}.sql").read_text(encoding="utf-8"))
    plain = rows_of(program(read(spark, source)))
    started = perf_counter()
    try:
        found = captured(spark, program(read(spark, source)), folder / "captured")
    except UsageError as error:
        return {"query": name, "outcome": "refused", "why": error.wanted}
    seconds = perf_counter() - started
    assert sorted(map(str, found.rows)) == sorted(map(str, plain))
    tried = sorted({round(at * (len(plain) - 1) / max(rows - 1, 1)) for at in range(rows)})
    tried = tried if plain else []
    for row in tried:
        cut = again(
            spark, program, source, found.witnesses(row), folder / f"cut-{row}", WHOLE.get(name, ())
        )
        assert found.rows[row] in cut, f"row {row} of {name} is not among {cut[:5]}"
    result = "superset" if found.supersets else "exact"
    return {
        "query": name,
        "outcome": result if tried else "untested",
        "why": ", ".join(sorted(found.supersets)),
        "absence": found.traced.output.write.absence,
        "rows": len(plain),
        "tried": len(tried),
        "taps": len(found.traced.output.write.taps),
        "seconds": round(seconds, 2),
    }


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tables at a thousandth of scale factor 1."""
    folder = tmp_path_factory.mktemp("tpch")
    write_tpch(folder, 0.001)
    return folder


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tables at a hundredth of scale factor 1, and an empty record."""
    folder = tmp_path_factory.mktemp("tpch")
    write_tpch(folder)
    RECORD.parent.mkdir(exist_ok=True)
    RECORD.write_text("", encoding="utf-8")
    return folder


@pytest.mark.parametrize("name", DAILY)
def test_rows_come_back_from_their_witnesses(
    name: str, spark: SparkSession, small: Path, tmp_path: Path
) -> None:
    assert outcome(name, spark, small, tmp_path, 1)["outcome"] in ("exact", "superset")


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_every_query_has_right_lineage_or_is_refused(
    name: str, spark: SparkSession, large: Path, tmp_path: Path
) -> None:
    found = outcome(name, spark, large, tmp_path, ROWS)
    with RECORD.open("a", encoding="utf-8") as file:
        file.write(json.dumps(found) + "\n")
    assert found["outcome"] != "untested"
