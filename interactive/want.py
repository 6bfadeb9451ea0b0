"""The lineage that a program will ask for, declared before its query runs (Smoke, section 4.2)."""

from dataclasses import dataclass
from typing import Literal

Mode = Literal["compiled", "inject", "defer", "witness"]
"""When lineage is captured: within the query (by compiled loops, or by DuckDB), right after it, or
when it is asked for."""
Direction = Literal["backward", "forward"]


@dataclass(frozen=True)
class Want:
    """The lineage queries that will follow.

    ``refs`` are the tables, or references such as ``lineitem#2``, that will be asked for; the
    lineage in others is found when it is asked for. ``directions`` says in which
    direction indexes are built ahead.
    """

    refs: tuple[str, ...] | None = None
    directions: tuple[Direction, ...] = ("backward",)
