"""The plan of a data frame as Spark's analyser resolves it, and its Python functions."""

import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from provhouse.equivalence.from_spark import spark_plan
from provhouse.equivalence.plan_form import PlanForm
from provhouse.equivalence.python_function import FunctionFacts, facts_of
from provhouse.runtime.spark.pyspark_internals import (
    analysed_plan,
    java_session,
    worker_python,
)

from .jvm_rules import add_jar

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def plan_of(frame: "DataFrame") -> PlanForm:
    """Return the plan of a frame. Spark computes nothing."""
    jvm, classic = java_session(frame.sparkSession)
    add_jar(frame.sparkSession)
    text = jvm.provhouse.capturing.plans.PlanText(analysed_plan(frame), classic)
    return spark_plan(text.json(), read_functions(text.functions(), frame.sparkSession))


def read_functions(
    pickles: Mapping[str, bytes], session: "SparkSession"
) -> dict[str, FunctionFacts]:
    """Return what is known about functions of this program, by the digests of their pickles.

    Modules and packages are those of this process, so it must be the program that made the pickles.
    """
    if pickles and _is_other_python(worker_python(session.sparkContext)):
        problem = "Spark runs it in another Python than that of the program"
        return dict.fromkeys(pickles, FunctionFacts("", False, problem))
    return {digest: _facts(bytes(pickle)) for digest, pickle in pickles.items()}


def _facts(pickle: bytes) -> FunctionFacts:
    from pyspark import cloudpickle

    loads: Any = cloudpickle.loads
    try:
        function, *_ = loads(pickle)
    except Exception:  # whatever the program's own classes raise
        return FunctionFacts("", False, "its pickle cannot be read again")
    return facts_of(function)


def _is_other_python(command: str) -> bool:
    found = shutil.which(command)
    return found is None or Path(found).parent.resolve() != Path(sys.executable).parent.resolve()
