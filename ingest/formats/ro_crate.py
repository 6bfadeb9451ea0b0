"""Read the actions of an RO-Crate: Process, Workflow and Provenance Run Crate.

https://w3id.org/ro/wfrun/process. An action's ``object`` is a src of the action, the action is the
src of its ``result``, and the op is the action's ``instrument``. Ids are unique only within their
crate. The attribute ``crate`` has the name of the crate's folder, so that ``--scope crate`` can
make the names unique.
"""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from .json_stream import JsonStream, json_stream, texts
from .made_rows import Row, batches_of, check_columns
from .source import Batch, ReportBytes, Source

CRATE = "crate"
ACTIONS = {"CreateAction", "UpdateAction", "ActivateAction"}
"""The types of actions that make or change data, or run a program."""
ORCHESTRATION = {"ControlAction", "OrganizeAction"}
"""The types of actions that only record which step or engine started another action."""
_SPACES = ("http://schema.org/", "https://schema.org/", "schema:")
_READ = ("object", "result", "instrument", "@id", "@type", "actionStatus")
_ROOT = "./"


def check(source: Source) -> list[str]:
    """Return the columns of the triples; raise BadInput if the document is not an RO-Crate."""
    with json_stream(source.path) as stream:
        present = set()
        for key in stream.members():
            present.add(key)
            if key == "@context":
                _check_context(stream, stream.value())
            else:
                stream.skip()
        if not {"@context", "@graph"} <= present:
            raise stream.refused("it is no RO-Crate", "The key @context or @graph is missing")
        stream.finish()
    return check_columns(source, CRATE, "status")


def _check_context(stream: JsonStream, context: object) -> None:
    """Raise BadInput for a context that is not RO-Crate's, or that redefines its terms."""
    parts = context if isinstance(context, list) else [context]
    if not any(isinstance(part, str) and "w3id.org/ro/crate" in part for part in parts):
        raise stream.refused("it is no RO-Crate", f"Its @context is {context!s:.100}")
    for part in parts:
        known = {"object", "result", "instrument", "isBasedOn", "hasPart", "@vocab", "@base"}
        if isinstance(part, dict) and (changed := sorted(known & part.keys())):
            raise stream.refused(
                f"its @context gives {changed[0]} another meaning", "This is not read"
            )


def batches(source: Source, report: ReportBytes) -> Iterator[Batch]:
    """Yield the inputs and results of actions, as batches of triples."""
    unread = Counter[str]()
    return batches_of(source, _rows(source.path, unread, report), unread)


def _rows(path: str, unread: Counter[str], report: ReportBytes) -> Iterator[Row]:
    crate = Path(path).absolute().parent.name
    with json_stream(path, report) as stream:
        for key in stream.members():
            if key != "@graph":
                stream.skip()
                continue
            for _ in stream.elements():
                for row in _entity(stream, _plain(stream.object()), unread):
                    yield {**row, CRATE: crate}


def _plain(entity: dict[str, object]) -> dict[str, object]:
    """Return an entity with the prefixes for schema.org removed from its keys."""
    found = {}
    for key, value in entity.items():
        for space in _SPACES:
            key = key.removeprefix(space)
        found[key] = value
    return found


def _entity(stream: JsonStream, entity: dict[str, object], unread: Counter[str]) -> Iterator[Row]:
    own = _id(entity.get("@id"))
    if own is None or "@reverse" in entity:
        raise stream.refused("an entity has no @id, or has @reverse", f"It is {entity!s:.100}")
    types = {_plain({kind: 0}).popitem()[0] for kind in texts(entity.get("@type"))}
    if types & ACTIONS:
        yield from _action(stream, own, entity, unread)
        return
    if orchestrating := sorted(types & ORCHESTRATION):
        unread[orchestrating[0]] += 1
    for source in _ids(stream, entity, "isBasedOn"):
        yield _row(source, own, "isBasedOn", "data", "data")
    if own != _ROOT and types & {"Collection", "Dataset", "RepositoryCollection"}:
        for part in _ids(stream, entity, "hasPart"):
            yield _row(part, own, "hasPart", "data", "data")


def _action(
    stream: JsonStream, own: str, entity: dict[str, object], unread: Counter[str]
) -> Iterator[Row]:
    instruments = _ids(stream, entity, "instrument")
    op = instruments[0] if instruments else None
    unread["further instruments of an action"] += max(len(instruments) - 1, 0)
    for key in entity.keys() - {*_READ}:
        unread[f"{key} of actions"] += 1
    status = entity.get("actionStatus")
    text = _id(status) if isinstance(status, dict) else status if isinstance(status, str) else None
    more: Row = {"status": text and text.rpartition("/")[2]}
    for each in _ids(stream, entity, "object"):
        yield {**_row(each, own, op, "data", "actions"), **more}
    for each in _ids(stream, entity, "result"):
        yield {**_row(own, each, op, "actions", "data"), **more}


def _ids(stream: JsonStream, entity: dict[str, object], key: str) -> list[str]:
    """Return the ids that an entity refers to under ``key``."""
    value = entity.get(key)
    found = value if isinstance(value, list) else [] if value is None else [value]
    ids = [_id(each) for each in found]
    if None in ids:
        raise stream.refused(
            f"{key} of {entity.get('@id')} refers to no entity", f"It is {value!s:.100}"
        )
    return [each for each in ids if each is not None]


def _id(value: object) -> str | None:
    """Return the id of an entity, or of a reference to it. ``./a`` and ``a`` are the same id."""
    given = value.get("@id") if isinstance(value, dict) else value
    if not isinstance(given, str) or not given:
        return None
    return given if given == _ROOT else given.removeprefix("./")


def _row(src: str, dst: str, op: str | None, src_table: str, dst_table: str) -> Row:
    return {"src": src, "dst": dst, "op": op, "src_table": src_table, "dst_table": dst_table}
