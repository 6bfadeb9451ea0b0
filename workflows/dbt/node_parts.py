"""The parts of a node of a manifest, by what they decide: nothing, the relation, or the rows.

The lists are closed. A part that is in none of them is not known, and a changed model that has it
is undecided.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Json = Mapping[str, Any]


def _listed(*names: str) -> frozenset[str]:
    return frozenset(" ".join(names).split())


NO_ROWS = _listed(
    "access build_path checksum compiled compiled_path created_at deprecation_date description",
    "doc_blocks docs extra_ctes extra_ctes_injected file_key_name fqn functions group",
    "latest_version meta metrics original_file_path patch_path path primary_key raw_code refs",
    "root_path sources tags time_spine unrendered_config version",
)
"""Fields that change no rows, such as places of files. SQL is compared as it is compiled."""
PLACE = _listed("compiled_code config database defer_relation depends_on relation_name schema")
"""Fields that are read elsewhere, or that differ between places where a project is built."""
RELATION_FIELDS = _listed("alias")
ROW_FIELDS = _listed("constraints contract language name package_name resource_type unique_id")
DESCRIBED = _listed("columns")
"""Fields that matter where a contract or stored descriptions make them matter."""
NO_ROW_CONFIGS = _listed(
    "access docs enabled freshness group meta packages static_analysis tags",
)
RELATION_CONFIGS = _listed(
    "alias database grants indexes materialized on_configuration_change persist_docs quoting",
    "schema",
)
"""Configs of the relation that change none of its rows: its name, kind, rights and indexes."""
ROW_CONFIGS = _listed(
    "batch_size begin check_cols column_types concurrent_batches contract dbt_valid_to_current",
    "delimiter event_time full_refresh hard_deletes incremental_predicates incremental_strategy",
    "invalidate_hard_deletes lookback merge_exclude_columns merge_update_columns on_schema_change",
    "post-hook pre-hook quote_columns snapshot_meta_column_names strategy target_database",
    "target_schema unique_key updated_at",
)
EMPTY: tuple[object, ...] = (None, [], {}, "")
HOOKS = ("pre-hook", "post-hook")


@dataclass(frozen=True)
class NodeParts:
    """The parts of a node beside its SQL, by what they decide."""

    rows: Json
    """The parts that decide its rows, with every part that is not known."""
    relation: Json
    """The parts that decide its relation, beside the rows."""
    unknown: tuple[str, ...]
    """The names of the parts that are not known."""
    hooks: tuple[str, ...]


def node_parts(node: Json) -> NodeParts:
    """Sort the parts of a node of a manifest."""
    config = node.get("config") or {}
    unknown_fields = node.keys() - NO_ROWS - PLACE - RELATION_FIELDS - ROW_FIELDS - DESCRIBED
    unknown = config.keys() - NO_ROW_CONFIGS - RELATION_CONFIGS - ROW_CONFIGS
    rows = _taken(node, ROW_FIELDS | unknown_fields) | _taken(config, ROW_CONFIGS | unknown)
    rows |= _contract(node, config)
    relation = _taken(node, RELATION_FIELDS) | {"descriptions": _descriptions(node, config)}
    relation |= {f"config {key}": value for key, value in _taken(config, RELATION_CONFIGS).items()}
    hooks = tuple(name for name in HOOKS if config.get(name))
    return NodeParts(rows, relation, tuple(sorted({*unknown_fields, *unknown})), hooks)


def _taken(part: Json, names: frozenset[str]) -> dict[str, Any]:
    """Return some entries of an object; what is empty is as if it were missing."""
    return {name: part[name] for name in sorted(names) if part.get(name) not in EMPTY}


def _contract(node: Json, config: Json) -> dict[str, Any]:
    """Return the columns that a contract enforces."""
    if not (config.get("contract") or {}).get("enforced"):
        return {}
    read = ("name", "data_type", "constraints", "quote")
    columns = (node.get("columns") or {}).values()
    return {"columns": [{key: column.get(key) for key in read} for column in columns]}


def _descriptions(node: Json, config: Json) -> Any:
    """Return the descriptions that dbt stores in the database."""
    if not any((config.get("persist_docs") or {}).values()):
        return None
    columns = node.get("columns") or {}
    return [
        node.get("description"),
        {name: each.get("description") for name, each in columns.items()},
    ]
