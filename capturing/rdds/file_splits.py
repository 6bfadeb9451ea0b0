"""The parts of files that the partitions of an RDD read."""

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from provhouse.runtime.spark.pyspark_internals import java_rdd

from .addresses import local
from .not_captured import refusal

if TYPE_CHECKING:
    from pyspark import RDD


class Split(NamedTuple):
    """A part of a file: the path of the file and the first byte of the part."""

    path: str
    start: int


def splits_of(rdd: "RDD[Any]", name: str) -> list[Split]:
    """Return the part of a file that each partition of an RDD reads.

    ``name`` is the path or pattern by which the program names the files. Raises UsageError if a
    partition does not read a part of exactly one local file.
    """
    jvm, java = java_rdd(rdd)
    found = json.loads(jvm.provhouse.capturing.Splits.of(java))
    if None in found:
        raise refusal(
            f"The rows of {name} cannot be named",
            "Its format reads several files at once, or no files",
            "Read it outside of the block, and write it to a text file first",
        )
    return [Split(local(address), start) for address, start, _ in found]
