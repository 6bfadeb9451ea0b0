"""Reasons, other than its SQL, why a changed model cannot be compared."""

from .project import ProjectNode
from .project_macros import Macros


def same_definition(before: ProjectNode, node: ProjectNode) -> bool:
    """Return whether everything that determines a node's rows, except its inputs, is the same."""
    if not is_hashed(before):
        return False
    same = (before.kind, before.parts.rows, before.checksum_of_file) == (
        node.kind, node.parts.rows, node.checksum_of_file,
    )  # fmt: skip
    if _only_by_sql(before, node):
        return same and before.text == node.text
    same = same and before.materialized == node.materialized and before.template == node.template
    return same and (before.text == node.text or (before.only_state and node.only_state))


def is_hashed(node: ProjectNode) -> bool:
    """Return whether a node's content is hashed.

    This is false only for large seeds, for which dbt records the path instead.
    """
    return node.kind != "seed" or node.checksum.get("name") == "sha256"


def why_not_by_sql(node: ProjectNode, macros: Macros) -> str:
    """Return why a model's rows may differ from the rows of its SQL; empty if they cannot."""
    if node.language == "python":
        return "it is a Python model"
    if not node.has_query:
        return f"it is materialised as {node.materialized}"
    if macros.has_own_materialization(node.materialized):
        return f"the project defines how dbt materialises a {node.materialized}"
    if node.parts.hooks:
        return f"its {node.parts.hooks[0]} may change its rows"
    if node.parts.unknown:
        return f"its part {node.parts.unknown[0]} is not known"
    if node.introspects:
        return f"its template reads the database or the run ({node.introspects})"
    return ""


def differing_part(before: ProjectNode, node: ProjectNode) -> str:
    """Return why a model's rows may differ although its SQL's rows do not; empty if they cannot."""
    one, other = before.parts.rows, node.parts.rows
    differing = sorted(part for part in {*one, *other} if one.get(part) != other.get(part))
    return f"its part {differing[0]} differs" if differing else ""


def _only_by_sql(before: ProjectNode, node: ProjectNode) -> bool:
    both = (before, node)
    by_sql = all(each.has_query and each.text and not each.introspects for each in both)
    return by_sql and before.stored == node.stored
