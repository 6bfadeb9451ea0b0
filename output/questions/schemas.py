"""The JSON schema of a result that has no schema file, from the fields of its dataclass."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from types import NoneType
from typing import Any, Literal, get_args, get_origin, get_type_hints

from provhouse.model.wire_names import wire_name

from ..results.found import OPTIONAL

_TYPES = {str: "string", int: "integer", float: "number", bool: "boolean"}


def derived_schema(kind: Any) -> dict[str, Any]:
    """Return the schema of objects with the fields of a dataclass, without Arrow tables."""
    hints, names = get_type_hints(kind), [each.name for each in fields(kind)]
    return {
        "type": "object",
        "additionalProperties": False,
        "required": [wire_name(name) for name in names if name not in OPTIONAL],
        "properties": {wire_name(name): _schema(hints[name]) for name in names},
    }


def _schema(hint: Any) -> dict[str, Any]:
    hint = getattr(hint, "__supertype__", hint)  # of a NewType
    origin, kinds = get_origin(hint), get_args(hint)
    if hint is Any:
        return {}
    if origin is Literal:
        return {"enum": list(kinds)}
    if NoneType in kinds:
        return {"anyOf": [{"type": "null"}, *(_schema(k) for k in kinds if k is not NoneType)]}
    if origin is tuple:
        return {"type": "array", "items": _schema(kinds[0])}
    if origin in (dict, Mapping):
        return {"type": "object", "additionalProperties": _schema(kinds[1])}
    return derived_schema(hint) if is_dataclass(hint) else {"type": _TYPES[hint]}
