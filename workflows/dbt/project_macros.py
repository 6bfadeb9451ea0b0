"""A project's macros: which ones a model calls, and which ones affect how dbt builds models."""

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
"""A pattern for expressions that make compiled SQL depend on the database or the run."""


TEXT = re.compile(r"'[^']*'|\"[^\"]*\"")
NAME = re.compile(r"\b[A-Za-z_]\w*\b(?!\s*=(?!=))")
"""A pattern for names in a tag, except names of keyword arguments."""
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
"""Names whose values are the same in every run, except for ``is_incremental``."""


def asks_only_state(code: str) -> bool:
    """Return whether a template depends only on the project and on ``is_incremental()``."""
    return all(
        name in OF_STATE for tag in TAG.findall(code) for name in NAME.findall(TEXT.sub("''", tag))
    )


class Macros:
    """The macros of a manifest."""

    def __init__(self, macros: Mapping[str, Json]) -> None:
        """Store the macros of a manifest, keyed by ID."""
        self._macros = macros

    def called(self, macros: Iterable[str]) -> list[str]:
        """Return the source texts of the given macros, and of all macros that these call."""
        found: dict[str, str] = {}
        waiting = list(macros)
        while waiting:
            id_ = waiting.pop()
            if id_ not in found and id_ in self._macros:
                found[id_] = self._macros[id_]["macro_sql"]
                waiting += self._macros[id_].get("depends_on", {}).get("macros", ())
        return [found[id_] for id_ in sorted(found)]

    def introspects(self, template: str) -> str:
        """Return the first expression in a template that reads the database; empty if none does."""
        for tag in TAG.findall(template):
            if found := READS_DATABASE.search(tag):
                return found[0]
        return ""

    def changes_builds(self, other: "Macros") -> str:
        """Return the id of a macro that builds models and differs in the other project, or ""."""
        ours, theirs = self._builds, other._builds
        changed = sorted(id_ for id_ in {*ours, *theirs} if ours.get(id_) != theirs.get(id_))
        return changed[0] if changed else ""

    def has_own_materialization(self, name: str) -> bool:
        """Return whether a package other than dbt's own defines the materialization ``name``."""
        return any(own.startswith(f"materialization_{name}_") for own in self._outside)

    def replaces(self, name: str) -> bool:
        """Return whether a package other than dbt's own has a macro called ``name``."""
        return any(_plain(own) == name for own in self._outside)

    @cached_property
    def _outside(self) -> list[str]:
        return [e["name"] for e in self._macros.values() if e["package_name"] not in DBT]

    @cached_property
    def _builds(self) -> dict[str, str]:
        """The source texts of dbt's own macros, and of macros that replace them, keyed by ID."""
        own = {_plain(e["name"]) for e in self._macros.values() if e["package_name"] in DBT}
        return {
            id_: each["macro_sql"]
            for id_, each in self._macros.items()
            if each["package_name"] in DBT or _plain(each["name"]) in own
        }


def _plain(name: str) -> str:
    """Return the name of a macro without its adapter prefix."""
    return name.rpartition("__")[2]
