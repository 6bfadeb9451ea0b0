"""Steps of tools/setup.sh.

``ready.py java`` checks Java. ``ready.py neo4j`` gets missing jars and prepares Neo4j, which is
possible before Spark is installed. ``ready.py jars`` does everything else.
"""

import sys

from provhouse.capturing.compiling import compile_jar
from provhouse.capturing.jar import FOLDER
from provhouse.cli.prepare import prepare
from provhouse.cli.progress_display import progress_display
from provhouse.model.errors import ProvhouseError
from provhouse.model.progress import Silent
from provhouse.runtime.java import java


def main() -> int:
    """Run a step, print its error to standard output for setup.sh, and return the exit status."""
    try:
        if sys.argv[1] == "java":
            java()
        elif sys.argv[1] == "neo4j":
            prepare(Silent(), without_spark=True)
        else:
            with progress_display() as progress:
                prepare(progress)
                compile_jar(FOLDER, progress)
    except ProvhouseError as error:
        print(error)
        return error.exit_status
    return 0


if __name__ == "__main__":
    sys.exit(main())
