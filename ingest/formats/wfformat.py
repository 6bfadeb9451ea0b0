"""Read WfFormat 1.0 to 1.6: the workflow runs and specifications of WfCommons.

https://github.com/wfcommons/WfFormat. A file that a task reads is a src of the task, and the task
is the src of each file that it writes. The op is the task's name. The names of files and tasks are
unique only within their workflow. The attribute ``workflow`` has the workflow's name, so that
``--scope workflow`` can make them unique.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from .json_stream import JsonStream, json_stream, texts
from .made_rows import Row, batches_of, check_columns
from .source import Batch, ReportBytes, Source

WORKFLOW = "workflow"
AFTER = "after"
"""The op for a task that follows another task."""
VERSIONS = ("1.0", "1.1", "1.2", "1.3", "1.4", "1.5", "1.6")
_BY_ID = ("1.5", "1.6")
"""The versions in which tasks refer to each other by id. Earlier versions use names."""
_FILES, _TASKS = "files", "tasks"
_READ = ("name", "id", "parents", "children", "inputFiles", "outputFiles", "files")


def check(source: Source) -> list[str]:
    """Return the columns of the triples; raise BadInput if the document is not WfFormat."""
    _header(source.path)
    return check_columns(source, WORKFLOW)


def batches(source: Source, report: ReportBytes) -> Iterator[Batch]:
    """Yield the files that tasks read and write, and the order of tasks, as batches of triples."""
    unread = Counter[str]()
    return batches_of(source, _rows(source.path, unread, report), unread)


def _header(path: str) -> tuple[str, str]:
    """Return the name and the version of a document; raise BadInput for an unknown version."""
    found: dict[str, object] = {}
    with json_stream(path) as stream:
        for key in stream.members():
            if key in ("name", "schemaVersion"):
                found[key] = stream.value()
            else:
                stream.skip()
        stream.finish()
        if (version := found.get("schemaVersion")) not in VERSIONS:
            raise stream.refused(
                f"the version {version!r} of WfFormat is not read",
                f"The key schemaVersion must be one of {', '.join(VERSIONS)}",
            )
    return str(found.get("name") or ""), str(version)


def _rows(path: str, unread: Counter[str], report: ReportBytes) -> Iterator[Row]:
    name, version = _header(path)
    with json_stream(path, report) as stream:
        for key in stream.members():
            if key == WORKFLOW:
                yield from _workflow(stream, name, version, unread)
            else:
                stream.skip()
                unread[key] += key not in ("name", "schemaVersion")


def _workflow(stream: JsonStream, name: str, version: str, unread: Counter[str]) -> Iterator[Row]:
    for key in stream.members():
        if key == "specification" and version in _BY_ID:
            for part in stream.members():
                if part == _TASKS:
                    yield from _tasks(stream, name, version, unread)
                else:
                    stream.skip()
                    unread[f"workflow.specification.{part}"] += 1
        elif key in (_TASKS, "jobs") and version not in _BY_ID:
            yield from _tasks(stream, name, version, unread)
        else:
            stream.skip()
            unread[f"workflow.{key}"] += 1


def _tasks(stream: JsonStream, name: str, version: str, unread: Counter[str]) -> Iterator[Row]:
    for _ in stream.elements():
        task = stream.object()
        key = task.get("id" if version in _BY_ID else "name")
        if not isinstance(key, str):
            raise stream.refused("a task has no name", f"It is {task!s:.100}")
        for part in task.keys() - {*_READ}:
            unread[f"tasks.{part}"] += 1
        op = str(task.get("name") or key)
        read, written = _files_of(stream, task)
        own: Row = {WORKFLOW: name or None}
        for file in read:
            yield {"src": file, "dst": key, "op": op, **_tables(_FILES, _TASKS), **own}
        for file in written:
            yield {"src": key, "dst": file, "op": op, **_tables(_TASKS, _FILES), **own}
        for parent in texts(task.get("parents")):
            yield {"src": parent, "dst": key, "op": AFTER, **_tables(_TASKS, _TASKS), **own}
        for child in texts(task.get("children")):
            yield {"src": key, "dst": child, "op": AFTER, **_tables(_TASKS, _TASKS), **own}


def _files_of(stream: JsonStream, task: dict[str, object]) -> tuple[list[str], list[str]]:
    """Return the files that a task reads, and the files that it writes."""
    read, written = texts(task.get("inputFiles")), texts(task.get("outputFiles"))
    files: Any = task.get("files") or []
    for file in files:
        link = str(file.get("link")).lower()
        if link not in ("input", "output"):
            raise stream.refused("a file is neither input nor output", f"It is {file!s:.100}")
        name = f"{file.get('path', '')}{file['name']}"
        (read if link == "input" else written).append(name)
    return read, written


def _tables(src: str, dst: str) -> Row:
    return {"src_table": src, "dst_table": dst}
