"""Read the lineage of tables from dbt's manifest.json, and run_results.json in the same folder.

https://docs.getdbt.com/reference/artifacts/manifest-json. If a model, test, metric or other
resource depends on another resource, the other resource is its src. The op is the type of the
dependent resource. The results of a run list the executed resources without their sources. So the
results are read together with the manifest in the same folder, which has the sources.
"""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from provhouse.model.errors import BadInput

from .json_stream import JsonStream, json_stream, texts
from .made_rows import Row, batches_of, check_columns
from .source import Batch, ReportBytes, Source

RELATION, STATUS, INVOCATION = "relation_name", "status", "invocation_id"
"""The attributes: the database table of the dst and, from results of a run, its status and run."""
_RESOURCES = {
    "nodes", "exposures", "metrics", "semantic_models", "saved_queries", "unit_tests", "functions",
}  # fmt: skip
"""The sections of a manifest whose resources depend on others."""
_OTHER = {
    "metadata", "sources", "macros", "docs", "groups", "selectors", "disabled", "parent_map",
    "child_map", "group_map",
}  # fmt: skip
"""The other sections of a manifest. The two maps only repeat facts that the resources contain."""


_NOT_BUILT = ("skipped", "error", "runtime error", "no-op")
"""The statuses of results whose resources were not built."""


def check(source: Source) -> list[str]:
    """Return the columns of the triples; raise BadInput if the file is not a supported artifact."""
    _kind(source.path)
    return check_columns(source, RELATION, STATUS, INVOCATION)


def batches(source: Source, report: ReportBytes) -> Iterator[Batch]:
    """Yield the dependencies of resources, as batches of triples."""
    unread = Counter[str]()
    if _kind(source.path) == "manifest":
        return batches_of(source, _manifest(source.path, unread, report), unread)
    return batches_of(source, _results(source.path, unread, report), unread)


def _kind(path: str) -> str:
    """Return ``manifest`` or ``run-results``; raise BadInput for any other document."""
    with json_stream(path) as stream:
        metadata: dict[str, object] = {}
        for key in stream.members():
            if key == "metadata":
                metadata = stream.object()
            else:
                stream.skip()
        stream.finish()
        schema = str(metadata.get("dbt_schema_version", ""))
        for kind in ("manifest", "run-results"):
            if f"/dbt/{kind}/v" in schema:
                return kind
        raise stream.refused(
            "it is neither a manifest nor run results of dbt",
            f"Its dbt_schema_version is {schema!r}",
        )


def _manifest(path: str, unread: Counter[str], report: ReportBytes) -> Iterator[Row]:
    with json_stream(path, report) as stream:
        for section in stream.members():
            if section in _RESOURCES:
                for _ in stream.members():
                    yield from _resource(stream)
            elif section in _OTHER:
                if section in ("macros", "disabled"):
                    unread[section] += sum(1 for _ in _skipped(stream))
                else:
                    stream.skip()
            else:
                raise stream.refused(
                    f"the section {section!r} of a manifest is not known",
                    "It may have resources that depend on others",
                )


def _skipped(stream: JsonStream) -> Iterator[None]:
    for _ in stream.members():
        stream.skip()
        yield


def _resource(stream: JsonStream) -> Iterator[Row]:
    found = stream.object()
    key, depends = found.get("unique_id"), found.get("depends_on") or {}
    if not isinstance(key, str) or not isinstance(depends, dict):
        raise stream.refused("a resource has no unique_id", f"It is {found!s:.100}")
    relation = found.get(RELATION)
    for parent in texts(depends.get("nodes")):
        yield {
            "src": parent,
            "dst": key,
            "op": _type(key),
            "src_table": _type(parent),
            "dst_table": _type(key),
            RELATION: relation if isinstance(relation, str) else None,
        }


def _type(unique_id: str) -> str:
    """Return the type of a resource, which is the first part of its id."""
    return unique_id.partition(".")[0]


def _results(path: str, unread: Counter[str], report: ReportBytes) -> Iterator[Row]:
    manifest = Path(path).with_name("manifest.json")
    if not manifest.is_file():
        raise BadInput(
            f"{path}: the results of a run do not list what was read",
            f"The manifest {manifest} is missing",
            "Copy both files of the folder target, or ingest the manifest alone",
        )
    sources: dict[str, list[Row]] = {}
    for row in _manifest(str(manifest), Counter(), lambda _: None):
        sources.setdefault(str(row["dst"]), []).append(row)
    invocation: str | None = None
    with json_stream(path) as stream:
        for key in stream.members():
            if key == "metadata":
                given = stream.object().get(INVOCATION)
                invocation = given if isinstance(given, str) else None
            else:
                stream.skip()
    with json_stream(path, report) as stream:
        for key in stream.members():
            if key != "results":
                stream.skip()
                continue
            for _ in stream.elements():
                yield from _result(stream, sources, invocation, unread)


def _result(
    stream: JsonStream,
    sources: dict[str, list[Row]],
    invocation: str | None,
    unread: Counter[str],
) -> Iterator[Row]:
    found = stream.object()
    key, status = found.get("unique_id"), found.get(STATUS)
    if not isinstance(key, str) or not isinstance(status, str):
        raise stream.refused("a result has no unique_id or status", f"It is {found!s:.100}")
    if status in _NOT_BUILT:
        unread[f"results with the status {status}"] += 1
        return
    for row in sources.get(key, ()):
        yield {**row, STATUS: status, INVOCATION: invocation}
