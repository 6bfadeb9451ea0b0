"""Storage that a job and a warehouse share only over the network: HDFS and S3."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from provhouse.capturing.spark_versions import SparkVersion
from provhouse.model.progress import Silent
from provhouse.runtime.jar_lock import Group
from provhouse.runtime.jars import fetch, jar_folder

from .hdfs import hdfs
from .s3 import BUCKET, USER, s3, settings

_HADOOP_JARS = {"3.5": "s3a-3.5_2.12", "4.0": "s3a-4.0_2.13", "4.1": "s3a-4.1_2.13"}
"""The groups with the client of S3 for the Hadoop of each Spark; newer ones use ours."""


@dataclass(frozen=True)
class Storage:
    """A running storage, with the environment of programs that use it."""

    address: str
    environment: Mapping[str, str] = field(default_factory=dict)
    is_s3: bool = False

    def with_jars(self, options: Sequence[str], version: SparkVersion) -> list[str]:
        """Return options of ``spark-submit`` with the jars that a Spark lacks for this storage."""
        if not self.is_s3:
            return list(options)
        name, ours, *others = options
        return [name, f"{ours},{s3_jars(version)}", *others]


def s3_jars(version: SparkVersion) -> str:
    """Return the locked jars of Hadoop's client of S3 for a version of Spark."""
    group = cast("Group", _HADOOP_JARS.get(version.spark, "s3a"))
    fetch(Silent(), (group,))
    return ",".join(map(str, sorted(jar_folder(group).glob("*.jar"))))


@contextmanager
def storage_of(kind: str, folder: Path) -> Iterator[Storage]:
    """Run a storage of a kind, ``hdfs`` or ``s3``, with its files below a folder."""
    if kind == "hdfs":
        with hdfs(folder / "cluster") as address:
            yield Storage(address)
    else:
        with s3(folder / "server") as endpoint:
            hadoop = {"HADOOP_CONF_DIR": str(settings(endpoint, folder / "hadoop"))}
            yield Storage(f"s3a://{BUCKET}", {**USER, **hadoop}, is_s3=True)
