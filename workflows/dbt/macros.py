"""The macros of a project: which ones a model calls, and which ones change how dbt builds."""

import re
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

Json = Mapping[str, Any]
DBT = ("dbt", "dbt_duckdb")
"""The packages that contain dbt's own macros."""
TAG = re.compile(r"\{[{%].*?[%}]\}", re.DOTALL)
READS_DATABASE = re.compile(
    r"\b(run_query|statement|load_result|load_relation|load_cached_relation"
    r"|get_columns_in_relation|get_relation|adapter\s*\.\s*(?!dispatch\b|quote\b)\w+"
    r"|graph\b(?=\s*\.)|modules\b(?=\s*\.)|flags\b(?=\s*\.))"
)
"""The pattern of what makes compiled SQL depend on more than the project and its variables."""


TEXT = re.compile(r"'[^']*'|\"[^\"]*\"")
NAME = re.compile(r"\b[A-Za-z_]\w*\b(?!\s*=(?!=))")
"""The pattern of a name in a tag that is not that of an argument."""
OF_STATE = frozenset(
    [
        "and",
        "config",
        "elif",
        "else",
        "endif",
        "if",
        "is_incremental",
        "not",
        "or",
        "ref",
        "source",
        "this",
        "True",
        "False",
        "None",
    ]
)
"""The names of which only one, is_incremental, has another value in another run."""


def asks_only_state(code: str) -> bool:
    """Return whether a template depends on nothing but the project and ``is_incremental()``."""
    return all(
        name in OF_STATE for tag in TAG.findall(code) for name in NAME.findall(TEXT.sub("''", tag))
    )


class Macros:
    """The macros of a manifest."""

    def __init__(self, macros: Mapping[str, Json]) -> None:
        """Take the macros of a manifest by their ids."""
        self._macros = macros

    def called(self, macros: Iterable[str]) -> list[str]:
        """Return the texts of macros, and of those that they call."""
        found: dict[str, str] = {}
        waiting = list(macros)
        while waiting:
            id_ = waiting.pop()
            if id_ not in found and id_ in self._macros:
                found[id_] = self._macros[id_]["macro_sql"]
                waiting += self._macros[id_].get("depends_on", {}).get("macros", ())
        return [found[id_] for id_ in sorted(found)]

    def introspects(self, template: str) -> str:
        """Return the first word of a template that reads the database; empty if none does."""
        for tag in TAG.findall(template):
            if found := READS_DATABASE.search(tag):
                return found[0]
        return ""

    def changes_builds(self, other: "Macros") -> str:
        """Return a macro that builds models and differs from that of another project."""
        ours, theirs = self._builds, other._builds
        changed = sorted(id_ for id_ in {*ours, *theirs} if ours.get(id_) != theirs.get(id_))
        return changed[0] if changed else ""

    def has_own_materialization(self, name: str) -> bool:
        """Return whether a package other than dbt defines how models are materialised."""
        return any(own.startswith(f"materialization_{name}_") for own in self._outside)

    def replaces(self, name: str) -> bool:
        """Return whether a package other than dbt has a macro with the name of one of dbt's."""
        return any(_plain(own) == name for own in self._outside)

    @cached_property
    def _outside(self) -> list[str]:
        return [e["name"] for e in self._macros.values() if e["package_name"] not in DBT]

    @cached_property
    def _builds(self) -> dict[str, str]:
        """The texts of dbt's own macros, and of those that replace them, by their ids."""
        own = {_plain(e["name"]) for e in self._macros.values() if e["package_name"] in DBT}
        return {
            id_: each["macro_sql"]
            for id_, each in self._macros.items()
            if each["package_name"] in DBT or _plain(each["name"]) in own
        }


def _plain(name: str) -> str:
    """Return the name of a macro without the adapter in front of it."""
    return name.rpartition("__")[2]
