"""Classify the parts of a manifest's node: they affect its rows, only its relation, or neither.

The lists are complete. A part that is in none of them is unknown, and a changed model with an
unknown part is undecided.
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
"""Fields that do not affect rows, such as file paths. SQL is compared in compiled form."""
PLACE = _listed("compiled_code config database defer_relation depends_on relation_name schema")
"""Fields that are handled elsewhere, or that depend on where the project is built."""
RELATION_FIELDS = _listed("alias")
ROW_FIELDS = _listed("constraints contract language name package_name resource_type unique_id")
DESCRIBED = _listed("columns")
"""Fields that matter only with an enforced contract or with stored descriptions."""
NO_ROW_CONFIGS = _listed(
    "access docs enabled freshness group meta packages static_analysis tags",
)
RELATION_CONFIGS = _listed(
    "alias database grants indexes materialized on_configuration_change persist_docs quoting",
    "schema",
)
"""Configs that affect the relation but not its rows: its name, kind, grants and indexes."""
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
    """The parts of a node, except its SQL, by what they affect."""

    rows: Json
    """The parts that affect the node's rows, including all unknown parts."""
    relation: Json
    """The parts that affect the node's relation, but not its rows."""
    unknown: tuple[str, ...]
    """The names of the unknown parts."""
    hooks: tuple[str, ...]


def node_parts(node: Json) -> NodeParts:
    """Classify the parts of a manifest's node."""
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
    """Return the entries ``names`` of an object; empty values count as missing."""
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
