"""A dbt project, as described by its manifest: models, seeds, snapshots and sources."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Any

from provhouse.model.errors import BadInput

from . import artifacts
from .node_parts import NodeParts, node_parts
from .project_macros import Macros, asks_only_state
from .relation_names import RelationNames, table_name

Json = Mapping[str, Any]
ADAPTER = "duckdb"
QUERIES = ("table", "view", "ephemeral")
"""The materializations whose rows are exactly the rows of the SQL."""
BUILT = ("model", "seed", "snapshot")
"""The kinds of nodes that dbt builds as a table or a view."""


@dataclass(frozen=True)
class ProjectNode:
    """A model, a seed, a snapshot or a source."""

    id: str
    kind: str
    language: str
    schema: str
    identifier: str
    materialized: str
    text: str | None
    """The compiled SQL, with table names replaced by ``relation_names``; None if not compiled."""
    template: str
    """The node's uncompiled text, with the texts of the macros that it calls."""
    only_state: bool
    """Whether the compiled SQL depends only on the project and on ``is_incremental()``."""
    introspects: str
    """The first name in the template that reads the database during compilation, or ""."""
    needs: tuple[str, ...]
    parts: NodeParts
    checksum: Json
    unrendered: Json
    relation: str
    """The name of its table in the database; empty for an ephemeral model."""
    file: str
    root: str = ""
    """The project's or package's folder that contains ``file``; dbt records it only for seeds."""

    @property
    def has_query(self) -> bool:
        """Whether the rows of the node's table or view are exactly the rows of its SQL."""
        by_sql = self.materialized in QUERIES and self.language == "sql"
        return self.kind == "model" and by_sql

    @property
    def stored(self) -> bool:
        """Whether the node's rows do not change before the node is built again."""
        return self.materialized not in ("view", "ephemeral")

    @property
    def is_built(self) -> bool:
        """Whether dbt builds the node as a table or a view."""
        return self.kind in BUILT and self.materialized != "ephemeral"

    @property
    def place(self) -> object:
        """The parts of the table's name that do not depend on where the project is built."""
        relation = self.parts.relation
        return self.identifier, relation.get("config schema"), relation.get("config database")

    @property
    def checksum_of_file(self) -> Json | None:
        """The checksum of a seed's file. Other nodes are compared by their SQL instead."""
        return self.checksum if self.kind == "seed" else None

    @property
    def name(self) -> str:
        """The display name, such as ``orders`` or ``crm.visits``."""
        return ".".join(self.id.split(".")[2:])

    @property
    def table(self) -> str:
        """The name of the node's table in ``text``."""
        return table_name(self.id, self.identifier)


@dataclass(frozen=True)
class DbtProject:
    """The nodes of a project in an order in which dbt can build them."""

    nodes: Mapping[str, ProjectNode]
    tests: tuple[Json, ...]
    exposures: Mapping[str, tuple[str, ...]]
    """The nodes that each exposure, metric or saved query reads, by its name."""
    operations: tuple[Json, ...]
    """The hooks at the start and at the end of a run."""
    macros: Macros
    results: Json | None
    same_run: bool
    """Whether the command that wrote the results has also written the project's description."""
    catalog: Json | None

    @cached_property
    def readers(self) -> Mapping[str, tuple[str, ...]]:
        """For each node, the nodes that read it directly."""
        found: dict[str, list[str]] = {node: [] for node in self.nodes}
        for node in self.nodes.values():
            for needed in node.needs:
                found[needed].append(node.id)
        return {node: tuple(readers) for node, readers in found.items()}

    def tables_below(self, node: str) -> list[str]:
        """Return the tables and views that a node's SQL names, including its ephemeral models."""
        found: list[str] = []
        for needed in self.nodes[node].needs:
            ephemeral = self.nodes[needed].materialized == "ephemeral"
            found += self.tables_below(needed) if ephemeral else [needed]
        return found

    def descendants(self, nodes: Iterable[str]) -> set[str]:
        """Return the given nodes, and all nodes that read them, directly or indirectly."""
        return _closure(nodes, lambda node: self.readers.get(node, ()))

    def ancestors(self, nodes: Iterable[str]) -> set[str]:
        """Return the given nodes, and all nodes that they read, directly or indirectly."""
        needs = {node.id: node.needs for node in self.nodes.values()}
        return _closure(nodes, lambda node: needs.get(node, ()))


def _closure(nodes: Iterable[str], following: Callable[[str], Iterable[str]]) -> set[str]:
    found: set[str] = set()
    waiting = list(nodes)
    while waiting:
        if (node := waiting.pop()) not in found:
            found.add(node)
            waiting += following(node)
    return found


def project(target: Path) -> DbtProject:
    """Read the files of a target folder. Raises BadInput if they are missing or unsupported."""
    manifest = artifacts.manifest(target)
    _check_adapter(target, manifest["metadata"].get("adapter_type"))
    try:
        return _project(manifest, artifacts.run_results(target), artifacts.catalog(target))
    except (KeyError, TypeError, AttributeError, UnicodeError) as error:
        raise BadInput(
            f"The files in {target} lack parts that dbt writes",
            f"{error} is missing, or has another format",
            "Run `dbt compile` again, and name its target folder",
        ) from error


def _check_adapter(target: Path, adapter: str | None) -> None:
    if adapter != ADAPTER:
        raise BadInput(
            f"The project in {target} is built by the adapter {adapter}",
            "provhouse reads SQL as DuckDB does, and another database may read it differently",
            "Use it for projects of dbt-duckdb; `provhouse compare` compares two compiled queries "
            "that DuckDB reads too",
        )


def _project(manifest: Json, results: Json | None, catalog: Json | None) -> DbtProject:
    listed = {**manifest["sources"], **_built(manifest)}
    names = RelationNames(dict(_named(listed)))
    macros = Macros(manifest["macros"])
    made = {id_: _node(id_, node, names, macros, listed) for id_, node in listed.items()}
    order = _order(made)
    others = [each for each in manifest["nodes"].values() if each["resource_type"] not in BUILT]
    return DbtProject(
        {id_: made[id_] for id_ in order},
        tuple(each for each in others if each["resource_type"] == "test"),
        dict(_exposures(manifest)),
        tuple(each for each in others if each["resource_type"] == "operation"),
        macros,
        results,
        results is not None and _invocation(results) == _invocation(manifest),
        catalog,
    )


def _invocation(artifact: Json) -> object:
    return artifact["metadata"].get("invocation_id")


def _named(listed: Mapping[str, Json]) -> Iterator[tuple[str, str]]:
    """Yield table names that occur in compiled SQL, including those of deferred relations."""
    for id_, node in listed.items():
        for each in (node.get("defer_relation") or {}, node):
            if relation := each.get("relation_name"):
                yield relation, table_name(id_, _identifier(node))


def _built(manifest: Json) -> dict[str, Json]:
    nodes = manifest["nodes"].items()
    return {id_: node for id_, node in nodes if node["resource_type"] in BUILT}


def _identifier(node: Json) -> str:
    return str(node.get("identifier") or node.get("alias") or node["name"])


def _node(id_: str, node: Json, names: RelationNames, macros: Macros, listed: Json) -> ProjectNode:
    if node["resource_type"] == "source":
        return _source(id_, node)
    called = macros.called(node["depends_on"].get("macros", ()))
    language = node.get("language", "sql")
    text, read = _text(node.get("compiled_code"), language, names)
    raw = node.get("raw_code", "")
    template = "\n".join([raw, *called])
    needs = [*node["depends_on"].get("nodes", ()), *(_id(name) for name in sorted(read))]
    return ProjectNode(
        id=id_,
        kind=node["resource_type"],
        language=language,
        schema=str(node["schema"]),
        identifier=_identifier(node),
        materialized=str(node["config"]["materialized"]),
        text=text,
        template=template,
        only_state=asks_only_state(raw),
        introspects=macros.introspects(template),
        needs=tuple(dict.fromkeys(each for each in needs if each in listed and each != id_)),
        parts=node_parts(node),
        checksum=node["checksum"],
        unrendered=node.get("unrendered_config") or {},
        relation=str(node.get("relation_name") or ""),
        file=str(node.get("original_file_path") or ""),
        root=str(node.get("root_path") or ""),
    )


def _text(code: str | None, language: str, names: RelationNames) -> tuple[str | None, set[str]]:
    """Return compiled code, and all tables that the code names, by a ref or directly."""
    if not code or language != "sql":
        return code or None, set()
    return names.replaced(code)


def _id(table: str) -> str:
    """Return the id of the node whose table has this name."""
    return table[1:].partition('"')[0]


def _order(nodes: Mapping[str, ProjectNode]) -> list[str]:
    """Return the ids of nodes in build order: each node comes after the nodes that it reads."""
    try:
        return list(TopologicalSorter({id_: n.needs for id_, n in nodes.items()}).static_order())
    except CycleError as error:
        raise BadInput(
            "Models of the project read each other",
            " and ".join(error.args[1]),
            "Name tables by ref(), and compile again",
        ) from error


def _source(id_: str, node: Json) -> ProjectNode:
    place = ("identifier", "source_name", "external", "unrendered_schema", "unrendered_database")
    rows = {part: node.get(part) for part in place}
    return ProjectNode(
        id=id_,
        kind="source",
        language="",
        schema=str(node["schema"]),
        identifier=_identifier(node),
        materialized="source",
        text=None,
        template="",
        only_state=True,
        introspects="",
        needs=(),
        parts=NodeParts(rows, {}, (), ()),
        checksum={},
        unrendered={},
        relation=str(node.get("relation_name") or ""),
        file=str(node.get("original_file_path") or ""),
    )


def _exposures(manifest: Json) -> Iterator[tuple[str, tuple[str, ...]]]:
    for part in ("exposures", "metrics", "semantic_models", "saved_queries"):
        for id_, each in manifest.get(part, {}).items():
            yield id_, tuple(each["depends_on"]["nodes"])
