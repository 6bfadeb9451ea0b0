"""Describe the ingests of a generation as events of OpenLineage.

Each ingest is a run. Each table that it wrote is a run too, whose parent is the run of the ingest.
Every run has the events START and COMPLETE. The id of a run is computed from the warehouse, the
generation and the table, so events that are sent again belong to the same run.
"""

import shlex
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cached_property
from importlib.metadata import version
from typing import Any
from urllib.parse import quote
from uuid import NAMESPACE_URL, uuid5

import pyarrow as pa
import pyarrow.parquet as pq

from provhouse.model.column_map import NO_COLUMNS, ColumnMap
from provhouse.model.columns import (
    BORN,
    DST_TABLE,
    INGEST,
    ITEMS,
    OP,
    OPS,
    RUN,
    SQL,
    SRC_TABLE,
    TABLE,
    TRIPLES,
)
from provhouse.model.question import AsOf
from provhouse.model.settings import Settings
from provhouse.store.tables.openlineage_jobs import Key, datasets_of, read_jobs
from provhouse.store.tables.operations import operations_of
from provhouse.store.tables.pins import Pin, read_pins
from provhouse.store.tables.snapshot import Snapshot
from provhouse.store.tables.written import Written, read_since
from provhouse.store.warehouse.bases import pinned
from provhouse.store.warehouse.layout import Layout

from ..as_of import commit_as_of
from ..catalogue import join, table_names

SPEC = "https://openlineage.io/spec"
NAMESPACE = "provhouse"
"""The namespace of jobs, unless another is given."""
RECORD_LEVEL = "provhouse_recordLevel"
"""The name of the facet that states where to find the lineage of a table's records."""
_SUBTYPES = {
    "filter": "FILTER", "join": "JOIN", "group": "GROUP_BY", "window": "WINDOW", "order": "SORT",
}  # fmt: skip
"""The subtypes of OpenLineage's indirect transformations, by how the source column is used."""
Json = dict[str, Any]


@contextmanager
def run_events(
    settings: Settings, namespace: str | None = None, as_of: AsOf | None = None
) -> Iterator[Iterator[Json]]:
    """Open the events of a generation, the current one by default.

    Raises the errors of ``commit_as_of``.
    """
    layout = Layout(settings.warehouse)
    commit = commit_as_of(layout, as_of)
    with pinned(layout, commit):
        snapshot = Snapshot(layout, commit)
        yield RunEvents(snapshot, namespace or NAMESPACE, _address(settings)).all()


def _address(settings: Settings) -> str:
    """Return the URL at which other machines reach the server, or "" if there is none."""
    name, _, _ = settings.server_names.partition(",")
    _, _, port = settings.server_address.rpartition(":")
    return f"https://{name.strip()}:{port}" if name and port else ""


@dataclass(frozen=True)
class RunEvents:
    """A generator for the events of a generation."""

    snapshot: Snapshot
    namespace: str
    """The namespace of jobs, and of tables that do not belong to a dataset of the catalogue."""
    address: str = ""
    """The URL at which other machines reach the warehouse's server; empty if there is none."""
    producer: str = field(default_factory=lambda: f"urn:provhouse:{version('provhouse')}")
    _schemas: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    """The columns of tables that were looked up already."""

    def all(self) -> Iterator[Json]:
        """Yield the events of all ingests that wrote tables, oldest first."""
        before = 0
        for row in sorted(self.snapshot.rows("ingests").to_pylist(), key=lambda row: row[BORN]):
            if links := self._links.get(row[INGEST]):
                yield from self._of_ingest({**row, "before": before}, links)
            before = row[BORN]

    def _of_ingest(self, ingest: Json, links: list[Json]) -> Iterator[Json]:
        job, time = ingest[RUN] or "ingest", ingest["time"]
        parent = {
            "run": {"runId": self._run_id(ingest[BORN])},
            "job": {"namespace": self.namespace, "name": job},
        }
        facets = {"jobType": self._job_type("INGEST")}
        whole = {"run": parent["run"], "job": {**parent["job"], "facets": facets}}
        yield self._event("START", time, whole)
        for table in sorted({each[DST_TABLE] for each in links}):
            into = [each for each in links if each[DST_TABLE] == table]
            run = self._of_table(ingest, job, table, into, parent)
            yield self._event("START", time, run)
            yield self._event("COMPLETE", time, run)
        yield self._event("COMPLETE", time, whole)

    def _of_table(
        self, ingest: Json, job: str, table: str, links: list[Json], parent: Json
    ) -> Json:
        """Return the run that wrote a table, with its inputs and its output."""
        facets = {"jobType": self._job_type("TABLE")}
        ops = {op for each in links for op in each[OPS]}
        texts = {self._texts[op] for op in ops if op in self._texts}
        if len(ops) == len(texts) == 1:
            facets["sql"] = self._facet("SQLJobFacet", "1-1-0", {"query": texts.pop()})
        output = self._dataset(table)
        output["facets"][RECORD_LEVEL] = self._record_level(ingest, table, links)
        if columns := self._column_lineage(ingest, table):
            output["facets"]["columnLineage"] = columns
        sources = sorted({each[SRC_TABLE] for each in links} - {None, ""})
        return {
            "run": {
                "runId": self._run_id(ingest[BORN], table),
                "facets": {"parent": self._facet("ParentRunFacet", "1-2-0", parent)},
            },
            "job": {"namespace": self.namespace, "name": f"{job}.{table}", "facets": facets},
            "inputs": [self._dataset(each) for each in sources],
            "outputs": [output],
        }

    def _event(self, kind: str, time: str, run: Json) -> Json:
        head = {"eventType": kind, "eventTime": time, "producer": self.producer}
        schema = f"{SPEC}/2-0-2/OpenLineage.json#/$defs/RunEvent"
        return {**head, "schemaURL": schema, "inputs": [], "outputs": [], **run}

    def _run_id(self, born: int, table: str = "") -> str:
        warehouse = self.snapshot.layout.warehouse_id()
        return str(uuid5(NAMESPACE_URL, f"urn:provhouse:{warehouse}:{born}:{table}"))

    def _facet(self, name: str, release: str, content: Json) -> Json:
        url = f"{SPEC}/facets/{release}/{name}.json#/$defs/{name}"
        return {"_producer": self.producer, "_schemaURL": url, **content}

    def _job_type(self, kind: str) -> Json:
        content = {"processingType": "BATCH", "integration": "PROVHOUSE", "jobType": kind}
        return self._facet("JobTypeJobFacet", "2-0-4", content)

    def _key(self, table: str) -> Key:
        """Return the namespace and the name of a table's dataset."""
        return self._datasets.get(table, (self.namespace, table))

    def _dataset(self, table: str) -> Json:
        namespace, name = self._key(table)
        fields = [{"name": name, "type": kind} for name, kind in self._fields(table)]
        schema = self._facet("SchemaDatasetFacet", "1-2-0", {"fields": fields})
        return {
            "namespace": namespace, "name": name, "facets": {"schema": schema} if fields else {},
        }  # fmt: skip

    def _record_level(self, ingest: Json, table: str, links: list[Json]) -> Json:
        """Return the facet that states where to find the lineage of a table's records."""
        content = {
            "_producer": self.producer,
            "_schemaURL": f"{SPEC}/2-0-2/OpenLineage.json#/$defs/DatasetFacet",
            "warehouse": self.snapshot.layout.warehouse_id(),
            "generation": ingest[BORN],
            "table": table,
            "newItems": self._items[ingest[INGEST], table],
            "triples": sum(each[TRIPLES] for each in links),
            "command": f"provhouse find '' --table {shlex.quote(table)}",
        }
        if self.address:
            content["address"] = f"{self.address}/v1/find?text=&table={quote(table, safe='')}"
        return content

    def _fields(self, table: str) -> list[tuple[str, str]]:
        """Return a table's columns and their types, if a file or the catalogue contains them."""
        if table not in self._schemas:
            self._schemas[table] = self._read_fields(table)
        return self._schemas[table]

    def _read_fields(self, table: str) -> list[tuple[str, str]]:
        for pin in self._pins.get(table, ()):
            with suppress(OSError, pa.ArrowException):
                if not pin.difference():
                    return [(each.name, str(each.type)) for each in pq.read_schema(pin.path)]
        return [*self._known_fields.get(self._key(table), ())]

    def _column_lineage(self, ingest: Json, table: str) -> Json | None:
        columns = self._columns(ingest, table)
        if not columns.values:
            return None
        fields = {
            name: {
                "inputFields": [
                    *(self._input(*each, {"type": "DIRECT"}) for each in sources),
                    *map(self._indirect, columns.influence.get(name, ())),
                ]
            }
            for name, sources in columns.values.items()
        }
        content = {"fields": fields, "dataset": [*map(self._indirect, columns.rows)]}
        return self._facet("ColumnLineageDatasetFacet", "1-2-0", content)

    def _columns(self, ingest: Json, table: str) -> ColumnMap:
        """Return the column map of the last captured write of a table in an ingest."""
        of = self._writes.get((table, ingest[RUN] or ""), ())
        made = [each.columns for each in of if ingest["before"] <= each.after < ingest[BORN]]
        return made[-1] if made else NO_COLUMNS

    def _indirect(self, influence: tuple[str, str, str]) -> Json:
        table, column, use = influence
        return self._input(table, column, {"type": "INDIRECT", "subtype": _SUBTYPES.get(use, use)})

    def _input(self, table: str, column: str, transformation: Json) -> Json:
        namespace, name = self._key(table)
        return {
            "namespace": namespace, "name": name, "field": column,
            "transformations": [transformation],
        }  # fmt: skip

    @cached_property
    def _links(self) -> Mapping[int, list[Json]]:
        """The links to named tables, by ingest."""
        found = defaultdict(list)
        for each in self.snapshot.rows("workflow").to_pylist():
            if each[DST_TABLE]:
                found[each[INGEST]].append(each)
        return found

    @cached_property
    def _items(self) -> Counter[tuple[int, str]]:
        """The number of new items, by ingest and table."""
        found: Counter[tuple[int, str]] = Counter()
        for each in self.snapshot.rows("tables").to_pylist():
            found[each[INGEST], each[TABLE]] += each[ITEMS]
        return found

    @cached_property
    def _texts(self) -> Mapping[str, str]:
        """The SQL of each op whose description contains SQL."""
        rows = operations_of(self.snapshot).select([OP, SQL]).to_pylist()
        return {row[OP]: row[SQL] for row in rows if row[SQL]}

    @cached_property
    def _writes(self) -> Mapping[tuple[str, str], list[Written]]:
        """The captured writes, by table and run. A run without a name is an empty string."""
        found: defaultdict[tuple[str, str], list[Written]] = defaultdict(list)
        for each in read_since(self.snapshot.layout, 0):
            found[each.table, each.run].append(each)
        return found

    @cached_property
    def _pins(self) -> Mapping[str, list[Pin]]:
        """The pinned files of each table, the latest pin first."""
        found = defaultdict(list)
        for pin in reversed(read_pins(self.snapshot.layout)):
            found[pin.table].append(pin)
        return found

    @cached_property
    def _datasets(self) -> Mapping[str, Key]:
        """The dataset of the catalogue that each table belongs to."""
        joined = join(read_jobs(self.snapshot.layout), table_names(self.snapshot))
        return {table: key for key, table in joined.items()}

    @cached_property
    def _known_fields(self) -> Mapping[Key, tuple[tuple[str, str], ...]]:
        found = datasets_of(read_jobs(self.snapshot.layout))
        return {key: each.fields for key, each in found.items()}
