"""List the pairs of Calcite that cannot be compared, by the plans that Spark's analyser makes.

    python -m benchmarks.equivalence.calcite_lists PAIRS SCHEMA

A pair is ill-formed if Spark refuses one of its queries. It may have ties if one of its analysed
plans has a window, an OFFSET, or a LIMIT of more than no rows.
"""

import argparse
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, cast

import sqlglot

from benchmarks.equivalence.calcite_text import Pair, ddl, pairs
from benchmarks.equivalence.constant_views import view
from benchmarks.shared.results_file import ResultsFile, Run, mean_load, packages, run
from provhouse.equivalence.empty_database import empty_database

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TIES = re.compile(r"^[\s:+|-]*(GlobalLimit (?!0\b)|Offset |Window )", re.MULTILINE)
"""The nodes of an analysed plan whose rows depend on the order of rows that tie."""


class CalciteLists(Run):
    """The pairs that are left out of the figures of the prover."""

    ill_formed: dict[str, str]
    """The pairs that Spark refuses, with the beginning of the reason."""
    ties: list[str]


RESULTS = ResultsFile[CalciteLists]("calcite_lists.json")


def main() -> None:
    """Analyse the pairs and write the lists."""
    given = argparse.ArgumentParser(description=__doc__)
    given.add_argument("pairs", type=Path)
    given.add_argument("schema", type=Path)
    found = given.parse_args()
    made = _lists(ddl(found.schema), pairs(found.pairs))
    RESULTS.write(cast(CalciteLists, {**run(mean_load(), packages("pyspark", "sqlglot")), **made}))


def _lists(tables: str, given: list[Pair]) -> dict[str, object]:
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
    spark = builder.getOrCreate()
    ill_formed, ties = dict[str, str](), list[str]()
    try:
        for each in _views(tables):
            spark.sql(each)
        for pair in given:
            try:
                plans = [_analysed(spark, text) for text in (pair.first, pair.second)]
            except Exception as error:  # errors of Spark and of sqlglot have no common class
                ill_formed[pair.name] = str(error).strip().splitlines()[0][:80]
                continue
            if any(map(TIES.search, plans)):
                ties.append(pair.name)
    finally:
        spark.stop()
    return {"ill_formed": ill_formed, "ties": ties}


def _analysed(spark: "SparkSession", text: str) -> str:
    (made,) = sqlglot.transpile(text, read="duckdb", write="spark")
    return str(spark.sql(made)._jdf.queryExecution().analyzed().treeString())


def _views(tables: str) -> Iterator[str]:
    with empty_database(tables) as database:
        for table, columns in database.columns.items():
            yield view(table[-1], columns, [])


if __name__ == "__main__":
    main()
