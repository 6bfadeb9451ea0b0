"""Why a changed model cannot be compared, whatever its SQL is."""

from .macros import Macros
from .project import Node


def same_definition(before: Node, node: Node) -> bool:
    """Return whether all that decides the rows of a node, except what it reads, is the same."""
    if before.kind == "seed" and not is_hashed(before):
        return False
    same = (before.kind, before.parts.rows, before.checksum_of_file) == (
        node.kind, node.parts.rows, node.checksum_of_file,
    )  # fmt: skip
    if _only_by_sql(before, node):
        return same and before.text == node.text
    same = same and before.materialized == node.materialized and before.template == node.template
    return same and (before.text == node.text or (before.only_state and node.only_state))


def is_hashed(seed: Node) -> bool:
    """Return whether dbt has read a seed's file; of a large one it records the path."""
    return seed.checksum.get("name") == "sha256"


def why_undecided(before: Node, node: Node, macros: Macros) -> str:
    """Return why a changed model is not compared; empty if it is."""
    for each in (before, node):
        if each.language == "python":
            return "it is a Python model"
        if not each.has_query:
            return f"it is materialised as {each.materialized}"
    if macros.has_own_materialization(node.materialized):
        return f"the project defines how dbt materialises a {node.materialized}"
    if hooks := {*before.parts.hooks, *node.parts.hooks}:
        return f"its {min(hooks)} may change its rows"
    if unknown := {*before.parts.unknown, *node.parts.unknown}:
        return f"its part {min(unknown)} is not known"
    if differing := _differing(before, node):
        return f"its part {differing[0]} differs"
    if word := before.introspects or node.introspects:
        return f"its template reads the database or the run ({word})"
    return ""


def _only_by_sql(before: Node, node: Node) -> bool:
    both = (before, node)
    by_sql = all(each.has_query and each.text and not each.introspects for each in both)
    return by_sql and before.stored == node.stored


def _differing(before: Node, node: Node) -> list[str]:
    one, other = before.parts.rows, node.parts.rows
    return sorted(part for part in {*one, *other} if one.get(part) != other.get(part))
