"""Read ``jars.lock``, which lists every jar by its exact coordinate, size and SHA-256."""

import hashlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

Group = Literal[
    "neo4j", "delta", "page", "compiler", "queries", "spark-3.5_2.13",
    "delta-3.5_2.12", "delta-3.5_2.13", "delta-4.0_2.13", "delta-4.1_2.13",
    "iceberg-3.5_2.12", "iceberg-4.1_2.13", "hdfs", "kafka", "yarn",
    "s3a", "s3a-3.5_2.12", "s3a-4.0_2.13", "s3a-4.1_2.13",
]  # fmt: skip
GROUPS: tuple[Group, ...] = ("neo4j", "delta")
"""The groups that a warehouse needs.

Other groups have other uses. The HTML pages need ``page``: d3, dagre and lodash, npm packages that
Maven offers as jars. Lineage on S3 needs ``s3a``, Hadoop's client of S3. Installing provhouse from
source needs ``compiler``. Long tests need three kinds of groups: ``queries``, which is Spark's own
copy of the TPC-DS queries; the groups for other versions of Spark, with Delta, Iceberg and Hadoop's
client of S3 for some of them and the Scala-dependent jars of Spark 3.5 for Scala 2.13; and
``hdfs`` and ``kafka``, which start HDFS (with ``yarn`` also YARN) and a broker of Kafka.
"""
LOCK = Path(__file__).with_name("jars.lock")


@dataclass(frozen=True)
class Jar:
    """A jar, as one line of ``jars.lock`` describes it."""

    group: Group
    coordinate: str
    """Group, artifact and version in Maven's notation: G:A:V, or G:A:jar:C:V with a classifier."""
    size: int
    """The size in bytes."""
    sha256: str

    @property
    def name(self) -> str:
        """The file name of the jar."""
        _, artifact, *kind, version = self.coordinate.split(":")
        return "-".join([artifact, version, *kind[1:]]) + ".jar"

    def is_at(self, file: Path) -> bool:
        """Return whether a file can be read and has the SHA-256 of this jar."""
        try:
            with file.open("rb") as handle:
                return hashlib.file_digest(handle, "sha256").hexdigest() == self.sha256
        except OSError:
            return False


@cache
def locked(group: Group) -> tuple[Jar, ...]:
    """Return the jars of one group, in the order of ``jars.lock``."""
    rows = [line.split() for line in LOCK.read_text(encoding="utf-8").splitlines()[1:]]
    return tuple(
        Jar(group, coordinate, int(size), sha256)
        for name, coordinate, size, sha256 in rows
        if name == group
    )


@cache
def digest(group: Group) -> str:
    """Return a short name that identifies the exact jars of a group.

    Versions of provhouse that need the same jars use the same name and therefore share a cache.
    """
    text = "".join(jar.sha256 for jar in locked(group))
    return hashlib.sha256(text.encode()).hexdigest()[:12]
