"""The context of a replay. It reads files as plain Spark RDDs, but leaves out some rows."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, compress, repeat
from typing import TYPE_CHECKING, Any

import numpy as np

from provhouse.model.errors import UsageError

from .file_context import FileContext
from .file_splits import Split, splits_of

if TYPE_CHECKING:
    from pyspark import RDD, SparkContext

Places = Callable[[Sequence[Split]], Mapping[int, Any]]
"""A function that returns, for each partition, the ascending positions of its chosen rows."""


class ReplayContext(FileContext["ReplayRDD"]):
    """A context that reads files without the chosen rows, or only the chosen rows.

    A program that works with the context of a captured block also works with this context.
    """

    def __init__(self, context: "SparkContext", places: Places, only: bool) -> None:
        super().__init__(context)
        self._places, self._only = places, only

    def union(self, rdds: "Sequence[ReplayRDD]") -> "ReplayRDD":
        """Return the union of the given RDDs."""
        return ReplayRDD(self.spark.union([each.rdd for each in rdds]))

    def _read(self, rdd: "RDD[Any]", name: str, unit: str) -> "ReplayRDD":
        chosen = self.spark.broadcast(self._places(splits_of(rdd, name)))
        only = self._only

        def task(split: int, rows: Iterable[Any]) -> Iterator[Any]:
            return kept(rows, chosen.value.get(split), only)

        return ReplayRDD(rdd.mapPartitionsWithIndex(task))


def kept(rows: Iterable[Any], chosen: Any, only: bool) -> Iterator[Any]:
    """Yield only the rows at the positions ``chosen`` if ``only`` is true, else the other rows.

    If ``chosen`` is None, no rows are chosen.
    """
    if chosen is None:
        return iter(()) if only else iter(rows)
    mask = np.full(chosen[-1] + 1, not only, np.uint8)
    mask[chosen] = only
    # Without ``only``, all rows after the last chosen one follow.
    return compress(rows, chain(mask.tobytes(), () if only else repeat(1)))


def line_of(record: Any) -> tuple[str]:
    """Return a tuple with the line of text that ``saveAsTextFile`` would write for a record."""
    return (record.decode("utf-8", "replace") if isinstance(record, bytes) else str(record),)


class ReplayRDD:
    """A plain Spark RDD whose methods accept the arguments by which programs declare lineage."""

    def __init__(self, rdd: "RDD[Any]") -> None:
        self.rdd = rdd

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name.startswith("saveAs"):
            raise UsageError(
                "A replay must not write",
                f"The program calls {name}",
                "Return the RDD instead, and save it outside of the function",
            )
        member = getattr(self.rdd, name)
        return _lifted(member) if callable(member) else member

    def __add__(self, other: "ReplayRDD") -> "ReplayRDD":
        return ReplayRDD(self.rdd + other.rdd)


def _lifted(method: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a method of Spark's RDDs, so that it accepts and returns RDDs of a replay."""
    from pyspark import RDD

    def call(*arguments: Any, **named: Any) -> Any:
        named.pop("row_by_row", None)  # it declares lineage, and changes no result
        found = method(
            *map(_plain, arguments), **{name: _plain(each) for name, each in named.items()}
        )
        return ReplayRDD(found) if isinstance(found, RDD) else found

    return call


def _plain(argument: Any) -> Any:
    return argument.rdd if isinstance(argument, ReplayRDD) else argument
