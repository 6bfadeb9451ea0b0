"""The base class of contexts that read files as RDDs, in captured blocks and in replays."""

import sys
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from .not_captured import refusal

if TYPE_CHECKING:
    from pyspark import RDD, SparkContext

Made = TypeVar("Made")

_SHARED = frozenset(
    {"accumulator", "addFile", "addPyFile", "applicationId", "broadcast", "defaultMinPartitions",
     "defaultParallelism", "getConf", "getLocalProperty", "setCheckpointDir", "setJobDescription",
     "setJobGroup", "setLocalProperty", "setLogLevel", "statusTracker", "version"}
)  # fmt: skip
"""Members of a Spark context that do not make RDDs."""


_WHOLE = frozenset({"binaryFiles", "wholeTextFiles"})
"""Methods that make one record of each whole file. A split may contain several files."""


class FileContext(ABC, Generic[Made]):
    """A stand-in for a Spark context that makes RDDs only from files."""

    def __init__(self, context: "SparkContext") -> None:
        from pyspark import cloudpickle

        send: Any = cloudpickle.register_pickle_by_value

        # Workers may lack provhouse, so Spark sends them the code of this package's functions.
        send(sys.modules[__name__.rpartition(".")[0]])
        self.spark = context

    def __getattr__(self, name: str) -> Any:
        if name in _SHARED:
            return getattr(self.spark, name)
        if name in _WHOLE:
            raise refusal(
                f"SparkContext.{name} is not covered by the capture of RDDs",
                "Its records are whole files, and rows are named by their positions in files",
                "Read the lines of the files with textFile",
            )
        raise refusal(
            f"SparkContext.{name} is not covered by the capture of RDDs",
            "The rows of its RDDs have no names",
            "Write the rows to a file outside of the block, and read it with textFile",
        )

    def textFile(
        self, name: str, minPartitions: int | None = None, use_unicode: bool = True
    ) -> Made:
        """Return the lines of text files, as ``SparkContext.textFile`` does."""
        return self._read(self.spark.textFile(name, minPartitions, use_unicode), name, "lines")

    def pickleFile(self, name: str, minPartitions: int | None = None) -> Made:
        """Return the records that ``saveAsPickleFile`` has saved."""
        return self._read(self.spark.pickleFile(name, minPartitions), name, "records")

    def sequenceFile(self, path: str, *arguments: Any, **named: Any) -> Made:
        """Return the pairs of sequence files, as ``SparkContext.sequenceFile`` does."""
        return self._read(self.spark.sequenceFile(path, *arguments, **named), path, "records")

    def hadoopFile(self, path: str, *arguments: Any, **named: Any) -> Made:
        """Return the pairs in files that Hadoop's old API reads.

        Each split must be a part of one file.
        """
        return self._read(self.spark.hadoopFile(path, *arguments, **named), path, "records")

    def newAPIHadoopFile(self, path: str, *arguments: Any, **named: Any) -> Made:
        """Return the pairs in files that Hadoop's new API reads.

        Each split must be a part of one file.
        """
        return self._read(self.spark.newAPIHadoopFile(path, *arguments, **named), path, "records")

    @abstractmethod
    def union(self, rdds: Sequence[Made]) -> Made:
        """Return the union of the given RDDs."""

    @abstractmethod
    def _read(self, rdd: "RDD[Any]", name: str, unit: str) -> Made:
        """Return an RDD of this context for a Spark RDD.

        ``rdd`` is Spark's RDD of the files ``name``, and ``unit`` is ``lines`` or ``records``.
        """
