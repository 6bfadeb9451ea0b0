"""The files of a saved, captured RDD. Row n of a task is row n of the task's file."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from provhouse.model.errors import BadInput

from .description import CapturedWrite
from .keyed import check_texts
from .keyed_output import KeyedOutput
from .output import Output
from .tap_files import count_places, row_keys


@dataclass(frozen=True)
class RddOutput(Output):
    """The files of one RDD. The tasks that wrote the files have counted the rows."""

    @cached_property
    def counts(self) -> tuple[int, ...]:
        """The number of rows of each file."""
        return self.write.counts


def rdd_output_of(write: CapturedWrite) -> RddOutput:
    """Return the files of an RDD after checking that they have exactly the captured rows.

    Raises BadInput if a file was deleted, or if the numbers of rows differ from the captured
    numbers.
    """
    for path, count in zip(write.written, write.counts, strict=True):
        if count < 0 or not path.exists():
            raise BadInput(
                f"It is unknown which task wrote {path}",
                "It is gone" if count >= 0 else "No task has reported it",
                "Run the job again while no other job writes there",
            )
    tasks = sorted(count_places(write.folder / "rows", 0).items())
    captured = [count for _, count in tasks if count]
    if captured != [count for count in write.counts if count]:
        raise BadInput(
            f"The lineage of {write.path} does not match its rows",
            f"The tasks have written {sum(write.counts):,} rows and captured {sum(captured):,}",
            "Run the job again; if this repeats, report it",
        )
    return RddOutput(write, write.written, tasks=tuple(map(_task_of, write.written)))


def keyed_rdd_output_of(write: CapturedWrite) -> KeyedOutput:
    """Return the files of an RDD with a key, after checking that they contain the captured rows.

    Raises the errors of ``rdd_output_of``, and BadInput if a key is NULL or not unique.
    """
    output, names = rdd_output_of(write), row_keys(write.folder / "rows")
    check_texts(write.table, write.key, names)
    return KeyedOutput(write, output.files, tasks=output.tasks, names=names)


def _task_of(path: Path) -> tuple[int, str]:
    """Return the task number in a file name such as ``part-00000`` or ``part-r-00000``."""
    digits = [word for word in path.name.split(".")[0].split("-") if word.isdigit()]
    return int(digits[0]), ""
