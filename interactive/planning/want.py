"""The lineage that a program will need, declared before its query runs (Smoke, section 4.2)."""

from dataclasses import dataclass
from typing import Literal

from provhouse.model.errors import UsageError

Mode = Literal["compiled", "inject", "defer", "witness"]
"""When lineage is captured: by compiled loops, by the query, right after it, or on request."""
Direction = Literal["backward", "forward"]


@dataclass(frozen=True)
class Want:
    """The lineage queries that a program is going to ask.

    ``refs`` are the tables, or references such as ``lineitem#2``, whose lineage will be requested;
    the lineage in other references is found on request. ``directions`` lists the directions of the
    indexes that are built in advance.

    The other fields require that ``refs`` names exactly one reference. ``where`` is a condition on
    the records of its table: only records that meet the condition have lineage. The records of each
    row are divided by the values of the columns ``by``, with ``aggregates`` of each part, so that
    ``Result.aggregate`` and ``Result.backward(..., where=)`` only read stored values.
    """

    refs: tuple[str, ...] | None = None
    directions: tuple[Direction, ...] = ("backward",)
    where: str = ""
    by: tuple[str, ...] = ()
    aggregates: tuple[str, ...] = ("count(*) as n",)

    def __post_init__(self) -> None:
        for name in ("refs", "directions", "by", "aggregates"):
            if isinstance(text := getattr(self, name), str):
                raise UsageError(
                    f"{name} of Want has several values", f"It is the string {text!r}",
                    f"Write {name}=({text!r},)",
                )  # fmt: skip

    @property
    def pushed(self) -> bool:
        """Whether a condition or attributes are declared."""
        return bool(self.where or self.by)
