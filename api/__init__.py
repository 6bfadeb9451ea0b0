"""A provenance warehouse: where does this value come from, and what did it reach?

    import provhouse

    with provhouse.open("warehouse") as warehouse:
        warehouse.ingest("trace.csv")
        answer = warehouse.lineage("revenue/2026-03")

Each name below is loaded when a program first uses it, and not when the package is imported. The
command line and Spark's Python workers import the package too, and must start fast.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from provhouse.ingest.summary import Summary
    from provhouse.model.answer import Answer
    from provhouse.model.errors import (
        BadInput,
        Busy,
        Damaged,
        NotFound,
        ProvhouseError,
        TooSlow,
        Unavailable,
        UsageError,
    )

    from .warehouse import Warehouse, open

_MODULES = {
    "Answer": "provhouse.model.answer",
    "Summary": "provhouse.ingest.summary",
    "Warehouse": "provhouse.warehouse",
    "open": "provhouse.warehouse",
    "BadInput": "provhouse.model.errors",
    "Busy": "provhouse.model.errors",
    "Damaged": "provhouse.model.errors",
    "NotFound": "provhouse.model.errors",
    "ProvhouseError": "provhouse.model.errors",
    "TooSlow": "provhouse.model.errors",
    "Unavailable": "provhouse.model.errors",
    "UsageError": "provhouse.model.errors",
}

__all__ = [
    "Answer",
    "BadInput",
    "Busy",
    "Damaged",
    "NotFound",
    "ProvhouseError",
    "Summary",
    "TooSlow",
    "Unavailable",
    "UsageError",
    "Warehouse",
    "open",
]


def __getattr__(name: str) -> object:
    """Import a public name when it is first used (PEP 562)."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_MODULES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the public names, whether or not they are loaded."""
    return sorted([*globals(), *_MODULES])
