"""The versions of Spark that can be captured. Each has its own jar of our Java classes."""

import re
from dataclasses import dataclass
from pathlib import Path

from provhouse.model.errors import UsageError

OLDEST_JAVA = 17
"""The oldest Java version that can run our classes. Spark 3.5 itself also runs on Java 8 and 11."""


@dataclass(frozen=True, order=True)
class SparkVersion:
    """A minor version of Spark, compiled for a version of Scala."""

    spark: str
    scala: str = "2.13"

    def __str__(self) -> str:
        return f"{self.spark}_{self.scala}"

    @property
    def layers(self) -> tuple[str, ...]:
        """The folders of ``java/versions`` with this version's classes.

        Each variant of a class is in the folder of the first version of Spark that needs this
        variant, so a class in a later folder replaces a class with the same name.
        """
        sparks = (each.spark for each in VERSIONS if each.spark <= self.spark)
        return (*dict.fromkeys(sparks), f"scala-{self.scala}")


VERSIONS = (
    SparkVersion("3.5", "2.12"),
    SparkVersion("3.5"),
    SparkVersion("4.0"),
    SparkVersion("4.1"),
    SparkVersion("4.2"),
    SparkVersion("4.3"),
)
"""All versions that can be captured, beginning with the oldest."""


def fitting(spark: str, scala: str, java: str) -> SparkVersion:
    """Return the version of a running Spark, given its full version numbers.

    Raises UsageError if capture does not support this version, or if Java is too old.
    """
    version = SparkVersion(_minor(spark), _minor(scala))
    if version not in VERSIONS:
        raise UsageError(
            f"Spark {spark} with Scala {scala} cannot be captured",
            f"Supported versions: {supported()}",
            "Run the job on one of these versions",
        )
    if java.startswith("1.") or int(java) < OLDEST_JAVA:
        raise UsageError(
            f"Spark {spark} cannot be captured on Java {java}",
            f"The classes of provhouse.capture need Java {OLDEST_JAVA} or newer",
            f"Set JAVA_HOME to Java {OLDEST_JAVA}, which Spark {version.spark} supports too",
        )
    return version


def named(text: str) -> SparkVersion:
    """Return the version that a string such as ``4.0`` or ``3.5_2.12`` names.

    Without Scala's version, 3.5 means Scala 2.12, as in PySpark and in Spark's default download.
    Raises UsageError for other strings.
    """
    for version in VERSIONS:
        if text in (str(version), version.spark):
            return version
    raise UsageError(
        f"Spark {text} cannot be captured",
        f"Supported versions: {supported()}",
        "Name one of these",
    )


def installed(jars: Path) -> SparkVersion | None:
    """Return the version of Spark whose jars are in a folder, or None if it is unsupported."""
    for jar in jars.glob("spark-core_*.jar"):
        found = re.fullmatch(r"spark-core_(\d+\.\d+)-(\d+\.\d+)\..*\.jar", jar.name)
        if found and (version := SparkVersion(found[2], found[1])) in VERSIONS:
            return version
    return None


def supported() -> str:
    """Return a string that lists all supported versions."""
    return ", ".join(f"{each.spark} with Scala {each.scala}" for each in VERSIONS)


def _minor(version: str) -> str:
    return ".".join(version.split(".")[:2])
