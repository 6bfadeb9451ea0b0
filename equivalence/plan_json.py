"""Plans as JSON: an object for each part; the field ``node`` contains the name of its class."""

import json
from dataclasses import fields, is_dataclass
from typing import Any

from . import plan_form as forms
from .plan_form import PlanForm

CLASSES = {
    name: each
    for name, each in vars(forms).items()
    if isinstance(each, type) and is_dataclass(each)
}


def to_json(plan: PlanForm) -> str:
    """Return a plan as JSON."""
    return json.dumps(_plain(plan), separators=(",", ":"))


def from_json(text: str) -> PlanForm:
    """Return the plan that a JSON string contains. Raises ValueError if it contains no plan."""
    try:
        found = _part(json.loads(text))
    except (KeyError, TypeError) as error:
        raise ValueError(f"Not a plan: {error!r}") from error
    if not isinstance(found, PlanForm):
        raise ValueError("Not a plan")
    return found


def _plain(part: Any) -> Any:
    if isinstance(part, tuple):
        return [_plain(each) for each in part]
    if not is_dataclass(part):
        return part
    own = {each.name: _plain(getattr(part, each.name)) for each in fields(part)}
    return {"node": type(part).__name__} | own


def _part(plain: Any) -> Any:
    if isinstance(plain, list):
        return tuple(_part(each) for each in plain)
    if not isinstance(plain, dict):
        return plain
    own = {key: _part(each) for key, each in plain.items() if key != "node"}
    return CLASSES[plain["node"]](**own)
