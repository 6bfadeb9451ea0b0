"""Steps of tools/setup.sh.

``ready.py java`` checks Java. ``ready.py early`` does the steps that are possible before Spark is
installed: it gets missing jars, prepares Neo4j, and compiles the code that the first ingest and the
first what-if question would otherwise have to wait for, in the demo and in the tests. ``ready.py
jars`` does all remaining steps. ``ready.py demo`` does the same, except for the archive of Spark's
classes, which takes longer to create than it saves in one run.
"""

import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from provhouse.capturing.compiling import compile_jar
from provhouse.capturing.jar import FOLDER
from provhouse.cli.prepare import prepare
from provhouse.cli.progress_display import progress_display
from provhouse.ingest.ingest import ingest
from provhouse.model.arrays import ItemNumbers
from provhouse.model.derivations import KINDS
from provhouse.model.errors import ProvhouseError
from provhouse.model.operations import FUNCTIONS
from provhouse.model.progress import Silent
from provhouse.model.settings import Settings
from provhouse.query.consequences.deletion.derivation_index import DerivationRows, Derivations
from provhouse.query.consequences.deletion.fates import fates
from provhouse.query.consequences.deletion.new_values import Recomputed, Tensors
from provhouse.runtime.java import java

TRACE = Path(__file__).parents[1] / "examples" / "first" / "orders.csv"


def main() -> int:
    """Run a step, print its error to standard output for setup.sh, and return the exit status."""
    try:
        if sys.argv[1] == "java":
            java()
        elif sys.argv[1] == "early":
            prepare(Silent(), without_spark=True)
            compile_kernels()
        else:
            with progress_display() as progress:
                prepare(progress, without_spark=sys.argv[1] == "demo")
                compile_jar(FOLDER, progress)
    except ProvhouseError as error:
        print(error)
        return error.exit_status
    return 0


def compile_kernels() -> None:
    """Let numba compile and store its code: compute a sum without one input, and ingest a trace.

    This takes most of a minute on one core.
    """
    kind, way = np.full(2, KINDS["aggregate"], np.int8), np.zeros(2, np.int64)
    graph = Derivations(DerivationRows(np.array([1, 2]), np.array([3, 3]), kind, way))
    values, times = np.array([1.0, 2.0]), np.ones(2, np.int64)
    for each in (values, times):
        each.setflags(write=False)  # like values that are read from files, which numba tells apart
    tensors = Tensors(values, times, np.full(1, FUNCTIONS.index("sum"), np.int8))
    places, ended = graph.place(ItemNumbers(np.array([1], np.int64))), np.empty(0, np.int32)
    Recomputed(graph, tensors, fates(graph, places, ended)).values(places, ended)
    os.environ.setdefault("JDK_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1")  # Neo4j runs for seconds
    with TemporaryDirectory(prefix="provhouse-prepare-") as folder:
        ingest([TRACE], Settings(warehouse=Path(folder) / "warehouse"), progress=Silent())


if __name__ == "__main__":
    sys.exit(main())
