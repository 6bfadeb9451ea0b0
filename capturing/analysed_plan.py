"""The plan of a data frame, or of a captured write, as Spark's analyser resolved it."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

from provhouse.equivalence.catalyst_scans import FilesRead, files_read
from provhouse.equivalence.from_spark import spark_plan
from provhouse.equivalence.plan_form import PlanForm
from provhouse.runtime.spark.pyspark_internals import analysed_plan, java_session

from .jvm_rules import add_jar
from .python_pickles import read_functions, stored_functions

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def plan_of(frame: "DataFrame") -> PlanForm:
    """Return the plan of a frame. Spark computes nothing."""
    jvm, classic = java_session(frame.sparkSession)
    add_jar(frame.sparkSession)
    text = jvm.provhouse.capturing.plans.PlanText.of(classic, analysed_plan(frame))
    functions = read_functions(text.functions(), frame.sparkSession)
    return spark_plan(json.loads(text.json()), functions)


def captured_reads(write: Path) -> list[FilesRead]:
    """Return what a write has read from files, given the folder with its ``write.json``."""
    described = json.loads((write / "write.json").read_text(encoding="utf-8"))
    return list(dict.fromkeys(files_read(described.get("plan"))))


def captured_plan(write: Path) -> PlanForm | None:
    """Return the plan of a write, or None, given the folder with the write's ``write.json``.

    A write does not have a plan before its end is reported, or if it deletes, updates or merges
    rows.
    """
    described = json.loads((write / "write.json").read_text(encoding="utf-8"))
    found = described.get("plan")
    return spark_plan(found, stored_functions(write.parent)) if found else None
