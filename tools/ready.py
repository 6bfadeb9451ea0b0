"""Steps of tools/setup.sh.

``ready.py java`` checks Java. ``ready.py jars`` gets missing jars and compiles our Java sources.
"""

import sys

from provhouse.capturing.compiling import compile_jar
from provhouse.capturing.jar import FOLDER
from provhouse.cli.prepare import prepare
from provhouse.cli.progress_display import progress_display
from provhouse.model.errors import ProvhouseError
from provhouse.runtime.java import java


def main() -> int:
    """Run a step, print its error to standard output for setup.sh, and return the exit status."""
    try:
        if sys.argv[1] == "java":
            java()
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
