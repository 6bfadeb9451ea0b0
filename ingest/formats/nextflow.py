"""Read Nextflow's trace file, together with the work folders of its tasks.

https://www.nextflow.io/docs/latest/reports.html#trace-file. The trace itself does not list the
inputs of a task. But the task's work folder has a script ``.command.run``, which links the input
files. So each linked file is a src of the task. If the file is in the work folder of another task
in the trace, that other task is the src of the file. The op is the name of the process. The trace
must contain the field ``workdir``.
"""

import csv
import os
import shlex
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

import pyarrow as pa

from provhouse.model.errors import BadInput

from .compression import check_encoding, text_lines
from .made_rows import Row, batches_of, check_columns
from .source import Batch, ReportBytes, Source, unreadable

NAME, WORKDIR, STATUS = "name", "workdir", "status"
_DONE = ("COMPLETED", "CACHED")
_SCRIPT = ".command.run"
_STAGING = "nxf_stage() {"
_REMEDY = "Nothing was ingested; ingest the trace of a run on local or shared folders"


def check(source: Source) -> list[str]:
    """Return the columns of the triples; raise BadInput if a required field is missing."""
    next(_tasks(source.path), None)
    return check_columns(source, STATUS)


def batches(source: Source, report: ReportBytes) -> Iterator[Batch]:
    """Yield the files that tasks have read, and the tasks that wrote these files, as triples."""
    unread = Counter[str]()
    return batches_of(source, _rows(source.path, unread), unread)


def _tasks(path: str) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the tasks of a trace, each with its line number."""
    check_encoding(path)
    line = 1
    try:
        with text_lines(path) as lines:
            reader = csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
            header = next(reader, [])
            if missing := [name for name in (NAME, WORKDIR, STATUS) if name not in header]:
                raise BadInput(
                    f"{path}, line 1: no field {missing[0]}",
                    f"The fields are {', '.join(header)}" if header else "The file is empty",
                    "Run Nextflow with trace.fields = 'task_id,hash,name,status,workdir'",
                )
            for line, values in enumerate(reader, 2):
                if len(values) != len(header):
                    raise ValueError(f"{len(values)} values, the header has {len(header)}")
                yield line, dict(zip(header, values, strict=True))
    except (pa.ArrowException, OSError, EOFError, ValueError, csv.Error) as error:
        raise unreadable(f"{path}, line {line:,}", "a trace of Nextflow", error) from error


def _rows(path: str, unread: Counter[str]) -> Iterator[Row]:
    tasks = {
        os.path.normpath(task[WORKDIR]): _item(task)
        for _, task in _tasks(path)
        if task[STATUS] in _DONE
    }
    for line, task in _tasks(path):
        if task[STATUS] not in _DONE:
            unread[f"tasks with the status {task[STATUS]}"] += 1
            continue
        item, op = _item(task), task[NAME].partition(" (")[0]
        for file in _staged(f"{path}, line {line:,}", task):
            ends: Row = {"op": op, STATUS: task[STATUS]}
            yield {"src": file, "dst": item, "src_table": "files", "dst_table": "tasks", **ends}
            if producer := _producer(file, tasks):
                made = producer.partition(" (")[0].partition(" [")[0]
                yield {
                    "src": producer, "dst": file, "op": made, "src_table": "tasks",
                    "dst_table": "files",
                }  # fmt: skip


def _item(task: Mapping[str, str]) -> str:
    """Return a task's name with the beginning of its hash, as Nextflow prints it."""
    folder = Path(task[WORKDIR])
    return f"{task[NAME]} [{folder.parent.name}/{folder.name[:6]}]"


def _producer(file: str, tasks: Mapping[str, str]) -> str | None:
    """Return the task whose work folder contains ``file``, or None."""
    return next((tasks[str(above)] for above in Path(file).parents if str(above) in tasks), None)


def _staged(place: str, task: Mapping[str, str]) -> Iterator[str]:
    """Yield the paths of the files that a task links or copies into its work folder."""
    script = Path(task[WORKDIR]) / _SCRIPT
    try:
        lines = script.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeError) as error:
        raise BadInput(
            f"{place}: the inputs of the task {task[NAME]} are unknown",
            f"{script} cannot be read",
            "Nothing was ingested; keep the work folders until the trace is ingested",
        ) from error
    begin = next((at for at, line in enumerate(lines) if line.strip() == _STAGING), len(lines))
    for number, line in enumerate(lines[begin + 1 :], begin + 2):
        if line.strip() == "}":
            return
        yield from _linked(f"{script}, line {number:,}", line.strip(), task[WORKDIR])
    raise BadInput(f"{script} has no list of inputs", f"No line is {_STAGING!r}", _REMEDY)


def _linked(place: str, line: str, folder: str) -> Iterator[str]:
    """Yield the paths that a line in the list of inputs links or copies, if any."""
    for part in line.split(" && "):
        words = shlex.split(part, comments=True)
        if not words or words == ["true"] or words[0] in ("rm", "mkdir"):
            continue
        options = [word for word in words[1:] if word.startswith("-")]
        paths = [word for word in words[1:] if not word.startswith("-")]
        if words[0] not in ("ln", "cp") or len(paths) != 2 or {*options} - {"-s", "-fRL", "-f"}:
            raise BadInput(
                f"{place}: {words[0]!r} is not a known way to stage an input", f"It is {part:.100}",
                _REMEDY,
            )  # fmt: skip
        yield os.path.normpath(os.path.join(folder, paths[0]))
