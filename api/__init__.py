"""A provenance warehouse: where does this value come from, and what did it reach?

    import provhouse

    with provhouse.open("warehouse") as warehouse:
        warehouse.ingest("trace.csv")
        answer = warehouse.lineage("revenue/2026-03")

Each public name is loaded when a program first uses it, not when the program imports the package,
because the command line and Spark's Python workers also import the package and must start fast.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # for type checkers, which do not run __getattr__
    from provhouse.capturing.row_by_row import row_by_row as row_by_row
    from provhouse.care.retract import Retraction as Retraction
    from provhouse.equivalence.python_function import deterministic as deterministic
    from provhouse.ingest.ingest_summary import Summary as Summary
    from provhouse.ingest.landing.landed import Landed as Landed
    from provhouse.ingest.landing.landed import LandedWrite as LandedWrite
    from provhouse.model.errors import BadInput as BadInput
    from provhouse.model.errors import Busy as Busy
    from provhouse.model.errors import Damaged as Damaged
    from provhouse.model.errors import NotFound as NotFound
    from provhouse.model.errors import ProvhouseError as ProvhouseError
    from provhouse.model.errors import StillFilling as StillFilling
    from provhouse.model.errors import TooSlow as TooSlow
    from provhouse.model.errors import Unavailable as Unavailable
    from provhouse.model.errors import UsageError as UsageError
    from provhouse.query.listing.generations import Generation as Generation
    from provhouse.tracking.trace import Step as Step
    from provhouse.tracking.trace import Trace as Trace
    from provhouse.tracking.trace import trace as trace

    from .captured_block import Capture as Capture
    from .captures import capture as capture
    from .connection import Connection as Connection
    from .connection import connect as connect
    from .consequences import Dependency as Dependency
    from .consequences import Evaluation as Evaluation
    from .consequences import WhatIf as WhatIf
    from .consequences import WhatIfEach as WhatIfEach
    from .consequences import Why as Why
    from .consequences import WhyChanged as WhyChanged
    from .reader import Reader as Reader
    from .records import Records as Records
    from .results import Answer as Answer
    from .results import Diff as Diff
    from .results import Explanation as Explanation
    from .results import Finding as Finding
    from .results import Paths as Paths
    from .results import Subgraph as Subgraph
    from .rows import Edge as Edge
    from .rows import Invocation as Invocation
    from .rows import Item as Item
    from .rows import Node as Node
    from .rows import Operation as Operation
    from .rows import Rows as Rows
    from .rows import Triple as Triple
    from .views import EdgeChange as EdgeChange
    from .views import NodeChange as NodeChange
    from .views import NodeFates as NodeFates
    from .views import Zoom as Zoom
    from .views import ZoomDiff as ZoomDiff
    from .views import ZoomPath as ZoomPath
    from .views import ZoomWhatIf as ZoomWhatIf
    from .warehouse import Warehouse as Warehouse
    from .warehouse import open as open

_MODULES = {
    "captured_block": ("Capture",),
    "captures": ("capture",),
    "capturing.row_by_row": ("row_by_row",),
    "care.retract": ("Retraction",),
    "equivalence.python_function": ("deterministic",),
    "ingest.landing.landed": ("Landed", "LandedWrite"),
    "ingest.ingest_summary": ("Summary",),
    "model.errors": (
        "BadInput", "Busy", "Damaged", "NotFound", "ProvhouseError", "StillFilling", "TooSlow",
        "Unavailable", "UsageError",
    ),
    "connection": ("Connection", "connect"),
    "consequences": ("Dependency", "Evaluation", "WhatIf", "WhatIfEach", "Why", "WhyChanged"),
    "query.listing.generations": ("Generation",),
    "reader": ("Reader",),
    "records": ("Records",),
    "results": ("Answer", "Diff", "Explanation", "Finding", "Paths", "Subgraph"),
    "rows": ("Edge", "Invocation", "Item", "Node", "Operation", "Rows", "Triple"),
    "tracking.trace": ("Step", "Trace", "trace"),
    "views": (
        "EdgeChange", "NodeChange", "NodeFates", "Zoom", "ZoomDiff", "ZoomPath", "ZoomWhatIf",
    ),
    "warehouse": ("Warehouse", "open"),
}  # fmt: skip
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}

__all__ = sorted(_MODULE_OF)


def __getattr__(name: str) -> object:
    """Import a public name when it is first used (PEP 562)."""
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        module = import_module(f"{__name__}.{_MODULE_OF[name]}")
    except ModuleNotFoundError:
        import_module(f"{__name__}.model.extras").require_whole(f"provhouse.{name}")
        raise
    value = getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the public names, loaded or not."""
    return sorted([*globals(), *_MODULE_OF])
