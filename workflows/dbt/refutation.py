"""Compare the two queries of a changed model on tables that both of them read."""

from collections.abc import Sequence
from dataclasses import dataclass

from provhouse.equivalence.verdict import Example, Revision, compare

from .bound_models import BoundModel, quoted
from .passed_tests import TestedColumns
from .project import Node
from .sides import Side


@dataclass(frozen=True)
class ModelExample:
    """Rows of the tables that a model reads, for which its two queries differ."""

    columns: tuple[str, ...]
    """The columns that both queries have, of which the rows consist."""
    rows: Example


def compared_queries(
    base: Side, head: Side, before: Node, node: Node
) -> tuple[str, str, ModelExample | None]:
    """Return a verdict on two queries over tables with the same rows, its reason and an example."""
    models = base.models[node.id], head.models[node.id]
    shared = _shared(*models)
    if not shared:
        return "unknown", "its queries have no column in common", None
    ddl = _ddl(base, models[0]) + _ddl(head, models[1], without=models[0])
    texts = (Revision(_narrowed(each, shared), ddl) for each in (before, node))
    found = compare(*texts)
    example = ModelExample(shared, found.example) if found.example else None
    return found.kind, found.reason, example


def _shared(one: BoundModel, other: BoundModel) -> tuple[str, ...]:
    """Return the columns that two models have, with the same type."""
    return tuple(name for name, type_ in one.columns if (name, type_) in other.columns)


def _narrowed(node: Node, columns: Sequence[str]) -> str:
    return f"select {', '.join(map(quoted, columns))} from ({node.text})"


def _ddl(side: Side, model: BoundModel, without: BoundModel | None = None) -> str:
    """Return the statements that create the tables that a model reads."""
    reads = model.reads.keys() - (without.reads.keys() if without else ())
    nodes = [side.project.nodes[path[1]] for path in sorted(reads)]
    return "".join(_created(node, side.models[node.id], side.tests(node)) for node in nodes)


def _created(node: Node, model: BoundModel, tested: TestedColumns) -> str:
    listed = [
        f"{quoted(name)} {type_}{' not null' if name in tested.not_null else ''}"
        for name, type_ in model.columns
    ]
    keys = [name for name in tested.keys if name in dict(model.columns)][:1]
    listed += [f"primary key ({quoted(name)})" for name in keys]
    return f"create schema {quoted(node.id)}; create table {node.table} ({', '.join(listed)}); "
