"""Read records of Nextflow's lineage store, ``.lineage/**/.data.json``.

https://www.nextflow.io/docs/latest/data-lineage.html. Items are named by their lineage ids
(``lid://…``), and files from outside of the store by their paths. The id of a record is the name of
its folder in the store.
"""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .json_stream import JsonStream, json_stream
from .made_rows import Row, batches_of, check_columns
from .source import Batch, ReportBytes, Source

VERSION = "lineage/v1beta1"
OUTPUT = "output"
"""The op for a file that a task writes, or that is published."""
_LID = "lid://"


def check(source: Source) -> list[str]:
    """Return the columns of the triples; raise BadInput if the file is not a lineage record."""
    for _ in _rows(source.path, Counter(), lambda _: None):
        break
    return check_columns(source)


def batches(source: Source, report: ReportBytes) -> Iterator[Batch]:
    """Yield the inputs or outputs of one record as a batch of triples."""
    unread = Counter[str]()
    return batches_of(source, _rows(source.path, unread, report), unread)


def _rows(path: str, unread: Counter[str], report: ReportBytes) -> Iterator[Row]:
    with json_stream(path, report) as stream:
        record: dict[str, Any] = stream.object()
        stream.finish()
        if record.get("version") != VERSION:
            raise stream.refused(
                "its version of lineage records is not read",
                f"It is {record.get('version')!r}, and {VERSION} is read",
            )
        kind = record.get("kind") or record.get("type")
        spec: dict[str, Any] = record.get("spec") or record
        if kind == "TaskRun":
            yield from _task(path, spec, unread)
        elif kind == "TaskOutput":
            for file in _files(spec, OUTPUT, unread):
                yield _row(spec["taskRun"], file, OUTPUT)
        elif kind == "FileOutput":
            yield _row(spec["source"], _own(stream, path, spec), OUTPUT)
        elif kind in ("WorkflowRun", "WorkflowOutput", "Workflow"):
            unread[kind] += 1
        else:
            raise stream.refused(f"{kind!r} is no kind of lineage record", f"Read is {VERSION}")


def _task(path: str, spec: dict[str, Any], unread: Counter[str]) -> Iterator[Row]:
    own = f"{_LID}{Path(path).absolute().parent.name}"
    for file in _files(spec, "input", unread):
        yield _row(file, own, str(spec["name"]).partition(" (")[0])


def _files(spec: dict[str, Any], key: str, unread: Counter[str]) -> Iterator[str]:
    """Yield the files among the parameters of a task; count all other parameters as unread."""
    for parameter in spec.get(key) or ():
        values = (
            parameter["value"] if isinstance(parameter["value"], list) else [parameter["value"]]
        )
        found = [value.get("path") if isinstance(value, dict) else value for value in values]
        if str(parameter["type"]).lower() not in ("path", "file"):
            found = [value for value in found if str(value).startswith(_LID)]
            unread[f"parameters of the type {parameter['type']}"] += not found
        yield from (str(value) for value in found if value)


def _own(stream: JsonStream, path: str, spec: dict[str, Any]) -> str:
    """Return the id of a file's record: the part of its path that begins with a run's hash."""
    given = (spec.get("taskRun"), spec.get("workflowRun"), spec["source"])
    hashes = {str(lid).removeprefix(_LID).partition("/")[0] for lid in given if lid}
    parts = Path(path).absolute().parent.parts
    for at in range(len(parts) - 1, -1, -1):
        if parts[at] in hashes:
            return f"{_LID}{'/'.join(parts[at:])}"
    raise stream.refused(
        "the record is not in its place in a lineage store", "No folder above it is its run"
    )


def _row(src: str, dst: str, op: str) -> Row:
    return {"src": src.rstrip("/"), "dst": dst.rstrip("/"), "op": op}
