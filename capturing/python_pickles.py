"""Descriptions of a Spark program's Python functions, made in the program that pickled them."""

import json
import shutil
import sys
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from provhouse.equivalence.python_function import FunctionFacts, facts_of
from provhouse.runtime.spark.pyspark_internals import worker_python

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FILE = "functions.json"
"""The file in a captured block's folder that describes the block's Python functions."""


def read_functions(
    pickles: Mapping[str, bytes], session: "SparkSession"
) -> dict[str, FunctionFacts]:
    """Return descriptions of this program's functions, keyed by the digests of their pickles.

    The modules and packages of this process are described, so call this in the program that made
    the pickles.
    """
    if pickles and _is_other_python(worker_python(session.sparkContext)):
        problem = "Spark runs it in another Python than that of the program"
        return dict.fromkeys(pickles, FunctionFacts("", False, problem))
    return {digest: _facts(bytes(pickle)) for digest, pickle in pickles.items()}


def store_functions(pickles: Mapping[str, bytes], session: "SparkSession", folder: Path) -> None:
    """Write the descriptions of a captured block's functions to the block's folder."""
    if pickles:
        found = read_functions(pickles, session)
        plain = {digest: asdict(facts) for digest, facts in found.items()}
        (folder / FILE).write_text(json.dumps(plain), encoding="utf-8")


def stored_functions(folder: Path) -> dict[str, FunctionFacts]:
    """Return the descriptions of a captured block's functions, or an empty mapping."""
    if not (folder / FILE).exists():
        return {}
    found = json.loads((folder / FILE).read_text(encoding="utf-8"))
    return {digest: FunctionFacts(**facts) for digest, facts in found.items()}


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
