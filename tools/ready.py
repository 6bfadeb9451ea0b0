"""``ready.py java`` says why no Java here will do; ``ready.py jars`` gets what is missing."""

import sys

from provhouse.cli.prepare import prepare
from provhouse.cli.progress_display import progress_display
from provhouse.model.errors import ProvhouseError
from provhouse.runtime.java import java


def main() -> int:
    """The exit status; what is wrong goes to standard output, for setup.sh to pass on."""
    try:
        if sys.argv[1] == "java":
            java()
        else:
            with progress_display() as progress:
                prepare(progress)
    except ProvhouseError as error:
        print(error)
        return error.exit_status
    return 0


if __name__ == "__main__":
    sys.exit(main())
