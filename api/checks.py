"""Checks of arguments that commands and Python programs share."""

from provhouse.model.errors import UsageError


def check_run(run: str | None) -> None:
    """Raise UsageError if the name of a run is empty or not UTF-8.

    None stands for no run, and is accepted.
    """
    if run is None:
        return
    try:
        run.encode()
    except UnicodeEncodeError as error:
        raise UsageError("The name of a run is not UTF-8", f"It is {run!r}") from error
    if not run:
        raise UsageError(
            "The name of the run is empty", remedy="Name another run, or leave out the run"
        )
