"""Steps of tools/setup.sh.

``ready.py java`` checks Java. ``ready.py early`` does what is possible before Spark is installed: it
gets missing jars, prepares Neo4j, and compiles what small ingests and what-if questions need, which
would take half a minute of the demo and of the tests. ``ready.py jars`` does everything else.
"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from provhouse.capturing.compiling import compile_jar
from provhouse.capturing.jar import FOLDER
from provhouse.cli.prepare import prepare
from provhouse.cli.progress_display import progress_display
from provhouse.ingest.ingest import ingest
from provhouse.model.deletion import Deletion
from provhouse.model.errors import ProvhouseError
from provhouse.model.progress import Silent
from provhouse.model.settings import Settings
from provhouse.query.consequences.what_if import what_if
from provhouse.query.lineage.ask import Asker
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
                prepare(progress)
                compile_jar(FOLDER, progress)
    except ProvhouseError as error:
        print(error)
        return error.exit_status
    return 0


def compile_kernels() -> None:
    """Ingest a trace and ask about it; numba keeps what it compiles beside the modules."""
    with TemporaryDirectory(prefix="provhouse-prepare-") as folder:
        settings = Settings(warehouse=Path(folder) / "warehouse")
        ingest([TRACE], settings, progress=Silent())
        with Asker(settings, Silent()) as asker:
            what_if(asker, Deletion(("prices/milk",)))


if __name__ == "__main__":
    sys.exit(main())
