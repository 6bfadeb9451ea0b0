"""A reimplementation of ``state:modified+``, dbt's rule for what a pull request changes."""

from .project import Node, Project

NOT_COMPARED = {
    "access", "alias", "database", "docs", "enabled", "freshness", "group", "meta", "packages",
    "persist_docs", "schema", "static_analysis", "tags",
}  # fmt: skip
"""The configs that are left out when the configs of two nodes are compared."""
PLACE = ("alias", "database", "schema")


def modified(before: Project, after: Project) -> list[str]:
    """Return the nodes that ``dbt build --select state:modified+`` builds, in order.

    dbt compares the uncompiled texts of models and macros, and configs as they are written.
    """
    changed = {node.id for node in after.nodes.values() if _is_modified(before, node)}
    found = after.descendants(changed)
    return [node.id for node in after.nodes.values() if node.id in found and node.is_built]


def _is_modified(before: Project, node: Node) -> bool:
    earlier = before.nodes.get(node.id)
    return earlier is None or _compared(earlier) != _compared(node)


def _compared(node: Node) -> object:
    written = {name: value for name, value in node.unrendered.items() if name not in NOT_COMPARED}
    place = [node.unrendered.get(part) for part in PLACE]
    rows = node.parts.rows if node.kind == "source" else node.parts.rows.get("columns")
    descriptions = node.parts.relation.get("descriptions")
    return node.template.strip(), node.checksum_of_file, written, place, rows, descriptions
