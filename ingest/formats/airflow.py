"""Read assets (called datasets in Airflow 2) and asset events as Airflow's REST API returns them.

https://airflow.apache.org/docs/apache-airflow/stable/stable-rest-api-ref.html: ``GET /assets`` and
``GET /assets/events``. A task that updates an asset is the src of the asset. The asset is the src
of the tasks that read it, and of the DAGs or DAG runs that it starts. The API's answers do not
contain tasks, files and runs that neither read nor update an asset.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from .json_stream import JsonStream, json_stream
from .made_rows import Row, batches_of, check_columns
from .source import Batch, ReportBytes, Source

TIME = "timestamp"
_LISTS = ("assets", "datasets", "asset_events", "dataset_events")
_OF_EVENT = {
    "id", "asset_id", "dataset_id", "uri", "asset_uri", "dataset_uri", "name", "group", TIME,
    "source_dag_id", "source_task_id", "source_run_id", "source_map_index", "created_dagruns",
}  # fmt: skip
_OF_ASSET = {
    "id", "uri", "name", "group", "created_at", "updated_at", "producing_tasks", "consuming_tasks",
    "scheduled_dags", "consuming_dags",
}  # fmt: skip


def check(source: Source) -> list[str]:
    """Return the columns of the triples.

    Raises BadInput if the document does not contain any list that this module reads.
    """
    with json_stream(source.path) as stream:
        present = []
        for key in stream.members():
            present.append(key)
            stream.skip()
        stream.finish()
        if not {*present} & {*_LISTS}:
            raise stream.refused(
                "it has no assets of Airflow",
                f"None of the keys {', '.join(_LISTS)} is in it",
            )
    return check_columns(source, TIME)


def batches(source: Source, report: ReportBytes) -> Iterator[Batch]:
    """Yield batches of triples that show which tasks update and read the assets."""
    unread = Counter[str]()
    return batches_of(source, _rows(source.path, unread, report), unread)


def _rows(path: str, unread: Counter[str], report: ReportBytes) -> Iterator[Row]:
    with json_stream(path, report) as stream:
        for key in stream.members():
            if key not in _LISTS:
                stream.skip()
                continue
            for _ in stream.elements():
                found: dict[str, Any] = stream.object()
                if key.endswith("events"):
                    yield from _event(stream, found, unread)
                else:
                    yield from _asset(stream, found, unread)


def _event(stream: JsonStream, found: dict[str, Any], unread: Counter[str]) -> Iterator[Row]:
    asset = _uri(stream, found)
    _count(found, _OF_EVENT, "events", unread)
    time: Row = {TIME: found.get(TIME)}
    if found.get("source_dag_id"):
        task = _task(found["source_dag_id"], found.get("source_run_id"), found["source_task_id"])
        index = found.get("source_map_index", -1)
        task += f"[{index}]" if isinstance(index, int) and index >= 0 else ""
        yield {**_row(task, asset, "update", "tasks", "assets"), **time}
    else:
        unread["events without a task"] += 1
    for run in found.get("created_dagruns") or ():
        name = f"{run['dag_id']}/{run.get('run_id') or run.get('dag_run_id')}"
        yield {**_row(asset, name, "start", "assets", "runs"), **time}


def _asset(stream: JsonStream, found: dict[str, Any], unread: Counter[str]) -> Iterator[Row]:
    asset = _uri(stream, found)
    _count(found, _OF_ASSET, "assets", unread)
    for task in found.get("producing_tasks") or ():
        name = _task(task["dag_id"], None, task["task_id"])
        yield _row(name, asset, "update", "tasks", "assets")
    for task in found.get("consuming_tasks") or ():
        name = _task(task["dag_id"], None, task["task_id"])
        yield _row(asset, name, "read", "assets", "tasks")
    for dag in [*(found.get("scheduled_dags") or ()), *(found.get("consuming_dags") or ())]:
        yield _row(asset, dag["dag_id"], "start", "assets", "dags")


def _uri(stream: JsonStream, found: dict[str, Any]) -> str:
    for key in ("uri", "asset_uri", "dataset_uri"):
        if isinstance(found.get(key), str):
            return str(found[key])
    raise stream.refused("an asset has no uri", f"It is {found!s:.100}")


def _count(found: dict[str, Any], read: set[str], kind: str, unread: Counter[str]) -> None:
    for key in found.keys() - read:
        if found[key] not in (None, {}, []):
            unread[f"{key} of {kind}"] += 1


def _task(dag: object, run: object, task: object) -> str:
    return "/".join(str(part) for part in (dag, run, task) if part is not None)


def _row(src: str, dst: str, op: str, src_table: str, dst_table: str) -> Row:
    return {"src": src, "dst": dst, "op": op, "src_table": src_table, "dst_table": dst_table}
