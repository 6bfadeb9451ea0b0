"""Computations over derivations from the weights of sources, and checks of these weights."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Final, Literal, get_args

from .errors import UsageError

Semiring = Literal["trust", "access", "cost", "count"]
Aggregates = Literal["any", "all"]
"""The inputs of an aggregate that are used.

``any``: one input, which is enough for the aggregate to exist; ``all``: all inputs, which determine
its value.
"""

SEMIRINGS: Final[tuple[Semiring, ...]] = get_args(Semiring)


@dataclass(frozen=True)
class Evaluating:
    """A question for the value of an item in a semiring, given the weights of sources by name."""

    item: str
    semiring: Semiring
    weights: Mapping[str, float]
    aggregates: Aggregates = "any"

    def check(self) -> None:
        """Raise UsageError for a weight that the semiring does not allow."""
        for name, weight in self.weights.items():
            if problem := _problem(self.semiring, weight):
                raise UsageError(
                    f"The weight of {name!r} is {weight:g}",
                    f"{self.semiring} takes {problem}",
                    "Correct the weight",
                )


def _problem(semiring: Semiring, weight: float) -> str | None:
    if not isfinite(weight) or weight < 0:
        return "finite weights from 0 on"
    if semiring == "trust" and weight > 1:
        return "weights from 0 to 1"
    if semiring == "count" and weight != int(weight):
        return "whole numbers"
    return None
