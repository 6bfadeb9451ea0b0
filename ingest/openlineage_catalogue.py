"""Read events of OpenLineage into the catalogue of jobs and datasets.

Only three facets of events are read: the columns (``schema``) and other names (``symlinks``) of
datasets, and the kind of a job (``jobType``). The names of all other facets are reported, and their
content is ignored.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from provhouse.commit.single_writer import only_writer
from provhouse.model.errors import BadInput
from provhouse.model.progress import Progress
from provhouse.model.settings import Settings
from provhouse.store.tables.openlineage_jobs import Dataset, JobRun, add_runs
from provhouse.store.warehouse.identity import create_identity
from provhouse.store.warehouse.layout import Layout

from .formats import limits
from .formats.json_lines import chunks

EVENT_TYPES = frozenset({"START", "RUNNING", "COMPLETE", "ABORT", "FAIL", "OTHER"})
READ = frozenset({"schema", "symlinks", "jobType"})
"""The facets that are read."""
_PRODUCER = re.compile("/integration/([^/]+)")
"""The part of a producer's address that names the integration."""
_SPACE = re.compile(r"\s*")


@dataclass(frozen=True)
class EventsRead:
    """The counts of the events that were read, and of the jobs and datasets in them."""

    events: int
    jobs: int
    datasets: int
    left_out: int
    """The number of events that were left out because they describe only a dataset, not a job."""
    facets_not_read: tuple[str, ...]


@dataclass
class _Event:
    """An event, and its position in a file, which error messages contain."""

    place: str
    content: Mapping[str, Any]

    def wrong(self, why: str) -> BadInput:
        return BadInput(
            f"{self.place}: this is not an event of OpenLineage",
            why,
            "Correct or remove it; nothing of the files was stored",
        )

    def part(self, of: Mapping[str, Any], name: str, where: str) -> Mapping[str, Any]:
        """Return the object in a field; it is empty if the field is null or missing."""
        found = of.get(name)
        if found is not None and not isinstance(found, dict):
            raise self.wrong(f"{where} is not an object")
        return found or {}

    def parts(self, of: Mapping[str, Any], name: str, where: str) -> list[Mapping[str, Any]]:
        """Return the objects in a list; it is empty if the field is null or missing."""
        found = of.get(name)
        if found is None:
            return []
        if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
            raise self.wrong(f"{where} is not a list of objects")
        return found

    def text(self, of: Mapping[str, Any], name: str, where: str) -> str:
        """Return the string in a field. Raises BadInput if it is missing, empty or not a string."""
        found = of.get(name)
        if not isinstance(found, str) or not found:
            raise self.wrong(f"{where} is {'missing' if found is None else 'not a text'}")
        if found != _valid(found):
            raise self.wrong(f"{where} is not valid text")
        return found


def ingest_events(files: Iterable[Path], settings: Settings, progress: Progress) -> EventsRead:
    """Store the jobs and datasets of events, and return their counts.

    A file has an event on each line, or a single event, or a list of events. Raises BadInput if a
    file cannot be read or an event is not valid; in this case, nothing is stored. Raises Busy if
    another process writes.
    """
    found, read = _read(files)
    layout = Layout(settings.warehouse)
    with only_writer(settings, progress):
        create_identity(layout)
        add_runs(layout, found)
    return read


def _read(files: Iterable[Path]) -> tuple[list[JobRun], EventsRead]:
    runs: dict[tuple[str, str, str], JobRun] = {}
    events = left_out = 0
    facets: set[str] = set()
    for event in (event for file in files for event in _events(file)):
        events += 1
        run = _run(event, facets)
        if run is None:
            left_out += 1
            continue
        key = run.namespace, run.name, run.run
        runs[key] = runs[key].also(run) if key in runs else run
    found = [*runs.values()]
    jobs = {(each.namespace, each.name) for each in found}
    datasets = {each.key for run in found for each in (*run.inputs, *run.outputs)}
    unread = tuple(sorted(map(_valid, facets - READ)))
    return found, EventsRead(events, len(jobs), len(datasets), left_out, unread)


def _events(file: Path) -> Iterator[_Event]:
    """Yield the events of a file that has one event per line or consists of other JSON values."""
    if not file.is_file():
        raise BadInput(f"Cannot open {file}", "There is no file of this name", "Check the name")
    number, lines = 0, False
    for block in chunks(str(file), lambda _: None):
        for line in block:
            number += 1
            if not line.strip():
                continue
            if not lines and not _is_object(line):
                yield from _document(file)
                return
            lines = True
            yield from _decoded(f"{file}, line {number}", line)


def _is_object(line: bytes) -> bool:
    with suppress(ValueError, RecursionError):
        return isinstance(json.loads(line), dict)
    return False


def _decoded(place: str, line: bytes) -> Iterator[_Event]:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        raise _not_json(place) from None
    yield _event(place, found)


def _document(file: Path) -> Iterator[_Event]:
    """Yield the events of a file of JSON values, which are events or lists of events."""
    lines = [line for block in chunks(str(file), lambda _: None) for line in block]
    if sum(map(len, lines)) > limits.BLOCK:
        raise BadInput(
            f"{file} is too large to be read as one JSON text",
            f"It has more than {limits.BLOCK:,} bytes",
            "Write each event on a line of its own",
        )
    try:
        text = b"\n".join(lines).decode()
    except ValueError:
        raise _not_json(f"{file}") from None
    decoder, at, number = json.JSONDecoder(), 0, 1
    while (begin := _after_space(text, at)) < len(text):
        number += text.count("\n", at, begin)
        place = f"{file}, line {number}"
        try:
            found, at = decoder.raw_decode(text, begin)
        except (ValueError, RecursionError):
            raise _not_json(place) from None
        number += text.count("\n", begin, at)
        for of_list, each in enumerate(found if isinstance(found, list) else [found], 1):
            yield _event(f"{place}, event {of_list}" if isinstance(found, list) else place, each)


def _after_space(text: str, at: int) -> int:
    """Return the position of the next character that is not white space."""
    space = _SPACE.match(text, at)
    return space.end() if space else at


def _valid(found: object) -> str:
    """Return a value as a string that can be encoded in UTF-8; return an empty string for null."""
    return str(found or "").encode(errors="replace").decode()


def _event(place: str, found: object) -> _Event:
    if not isinstance(found, dict):
        raise _Event(place, {}).wrong("It is not an object in braces")
    return _Event(place, found)


def _not_json(place: str) -> BadInput:
    return BadInput(
        f"{place}: this is not JSON", "The text is damaged or of another format",
        "Give files with an event of OpenLineage on each line",
    )  # fmt: skip


def _run(event: _Event, facets: set[str]) -> JobRun | None:
    """Return the facts about a run in an event, or None if the event is about a dataset only."""
    content = event.content
    time = _time(event, event.text(content, "eventTime", "eventTime"))
    if "job" not in content and "dataset" in content:
        facets |= {*event.part(event.part(content, "dataset", "dataset"), "facets", "facets")}
        return None
    job = event.part(content, "job", "job")
    run = event.part(content, "run", "run")
    state = None if _is_of_a_job(content) else content.get("eventType")
    if state is None:
        state = "OTHER" if run else ""
    elif not isinstance(state, str) or state not in EVENT_TYPES:
        raise event.wrong(f"eventType is {_valid(state)[:40]!r}")
    of_job = event.part(job, "facets", "job.facets")
    facets |= {*of_job, *event.part(run, "facets", "run.facets")}
    return JobRun(
        namespace=event.text(job, "namespace", "job.namespace"),
        name=event.text(job, "name", "job.name"),
        integration=_integration(event, of_job),
        run=event.text(run, "runId", "run.runId") if "run" in content or state else "",
        state=state,
        time=time,
        inputs=_datasets(event, "inputs", facets),
        outputs=_datasets(event, "outputs", facets),
    )


def _is_of_a_job(content: Mapping[str, Any]) -> bool:
    """Return whether an event declares itself to be about a job without a run.

    Such an event has no type, but some programs give it one.
    """
    return "run" not in content and _valid(content.get("schemaURL")).endswith("/JobEvent")


def _time(event: _Event, text: str) -> str:
    """Return a time in UTC. A time without a time zone is assumed to be in UTC."""
    try:
        found = datetime.fromisoformat(text)
        found = found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    except (ValueError, OverflowError):
        raise event.wrong(f"eventTime is {text[:40]!r}, which is no time in ISO 8601") from None
    return found.isoformat(timespec="microseconds")


def _integration(event: _Event, facets: Mapping[str, Any]) -> str:
    """Return the program that sent an event, from a facet of the job or the producer's address."""
    found = event.part(facets, "jobType", "jobType").get("integration")
    if isinstance(found, str) and found:
        return _valid(found).upper()
    address = _PRODUCER.search(_valid(event.content.get("producer")))
    return address[1].upper() if address else ""


def _datasets(event: _Event, side: str, facets: set[str]) -> tuple[Dataset, ...]:
    found = []
    for each in event.parts(event.content, side, side):
        of = event.part(each, "facets", f"{side}.facets")
        facets |= {
            *of,
            *event.part(each, "inputFacets", side),
            *event.part(each, "outputFacets", side),
        }
        columns = event.parts(event.part(of, "schema", "schema"), "fields", "schema.fields")
        names = event.parts(event.part(of, "symlinks", "symlinks"), "identifiers", "symlinks")
        found.append(
            Dataset(
                event.text(each, "namespace", f"{side}.namespace"),
                event.text(each, "name", f"{side}.name"),
                tuple(
                    (
                        event.text(column, "name", "schema.fields.name"),
                        _valid(column.get("type")),
                    )
                    for column in columns
                ),
                tuple(
                    (_valid(name.get("namespace")), event.text(name, "name", "symlinks.name"))
                    for name in names
                ),
            )
        )
    return tuple(found)
