"""Generate runtime/jars.lock: exact coordinates, sizes and SHA-256 of jars from Maven.

For maintainers: run ``make lock-jars`` after changing a version in ``ROOTS`` or the version of
pyspark, and after `make jars-all`, which installs the other versions of Spark. Maven must be
installed. A jar that Delta needs is omitted if pyspark bundles any version of that jar, because
Spark prefers its own jars.
"""

import hashlib
import subprocess
import tempfile
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

from jars_all import locked_version, package

from provhouse.capturing.jar import own_version
from provhouse.capturing.spark_versions import named

LOCK = Path(__file__).parent.parent / "runtime/jars.lock"
SDK = "software.amazon.awssdk"
ROOTS = {
    "compiler": ["org.eclipse.jdt:ecj:3.45.0"],
    "delta": ["io.delta:delta-spark_4.2_2.13:4.4.0"],
    "delta-3.5_2.12": ["io.delta:delta-spark_2.12:3.3.3"],
    "delta-3.5_2.13": ["io.delta:delta-spark_2.13:3.3.3"],
    "delta-4.0_2.13": ["io.delta:delta-spark_4.0_2.13:4.4.0"],
    "delta-4.1_2.13": ["io.delta:delta-spark_4.1_2.13:4.4.0"],
    "hdfs": [
        "org.apache.hadoop:hadoop-client-minicluster:3.5.0",
        "org.junit.jupiter:junit-jupiter-api:5.13.4",
    ],
    "iceberg-3.5_2.12": ["org.apache.iceberg:iceberg-spark-runtime-3.5_2.12:1.12.0"],
    "iceberg-4.1_2.13": ["org.apache.iceberg:iceberg-spark-runtime-4.1_2.13:1.12.0"],
    "kafka": [
        f"org.apache.spark:spark-sql-kafka-0-10_2.13:{version('pyspark')}",
        "org.apache.kafka:kafka_2.13:3.9.2",
    ],
    "neo4j": ["org.neo4j:neo4j:5.26.30", "org.neo4j.client:neo4j-browser:5.24.0"],
    "page": [
        f"org.webjars.npm:{name}" for name in ("d3:7.9.0", "dagre-d3-es:7.0.11", "lodash:4.17.21")
    ],
    "s3a": [
        "org.apache.hadoop:hadoop-aws:3.5.0",
        *(f"{SDK}:{name}:2.35.4" for name in ("s3", "s3-transfer-manager", "sts")),
        "software.amazon.s3.analyticsaccelerator:analyticsaccelerator-s3:1.3.1",
        "org.wildfly.openssl:wildfly-openssl:2.2.5.Final",
    ],
    "s3a-3.5_2.12": [
        "org.apache.hadoop:hadoop-aws:3.3.4",
        *(f"com.amazonaws:aws-java-sdk-{name}:1.12.262" for name in ("dynamodb", "s3", "sts")),
        "org.wildfly.openssl:wildfly-openssl:1.0.7.Final",
    ],
    "s3a-4.0_2.13": [
        "org.apache.hadoop:hadoop-aws:3.4.1",
        *(f"{SDK}:{name}:2.24.6" for name in ("s3", "sts")),
        f"{SDK}:s3-transfer-manager:2.24.5",  # 2.24.6 was not published
        "org.wildfly.openssl:wildfly-openssl:1.1.3.Final",
    ],
    "s3a-4.1_2.13": [
        "org.apache.hadoop:hadoop-aws:3.4.2",
        *(f"{SDK}:{name}:2.29.52" for name in ("s3", "s3-transfer-manager", "sts")),
        "software.amazon.s3.analyticsaccelerator:analyticsaccelerator-s3:1.2.1",
        "org.wildfly.openssl:wildfly-openssl:2.1.4.Final",
    ],
    "spark-3.5_2.13": [f"org.apache.spark:spark-sql_2.13:{locked_version('3.5')}"],
    "queries": [f"org.apache.spark:spark-sql_2.13:{version('pyspark')}:tests"],
    "yarn": ["org.bouncycastle:bcpkix-jdk18on:1.82"],
}
ALONE = (
    "<exclusions><exclusion><groupId>*</groupId><artifactId>*</artifactId></exclusion></exclusions>"
)
"""The XML element that excludes a jar's dependencies.

It is used for jars with a classifier, which are read but never run, for jars of npm packages, and
for hadoop-aws. The single file of d3 already contains its parts, and dagre needs only lodash, which
is listed explicitly. hadoop-aws needs a jar with the clients of all of Amazon's services (700 MB),
of which it uses a few, which are listed.
"""
WITHOUT_DEPENDENCIES = ("org.webjars.npm:", "org.apache.hadoop:hadoop-aws:")
BESIDE_SPARK = ("delta", "hdfs", "kafka", "s3a", "yarn")
"""The groups of jars that are on one class path together with PySpark's jars."""
# Spark bundles the first two under other names: in jcl-over-slf4j, and in RoaringBitmap 1.6.
ALSO_BUNDLED = ["commons-logging", "shims", "scala-library"]
NOT_BUNDLED = "com/yammer/metrics"
"""A library of Kafka's whose artifact has the name of another library, which Spark bundles."""


def main() -> None:
    """Resolve every group of jars and write the lock file."""
    lines = ["# group  coordinate  bytes  sha256  (made by tools/lock_jars.py)"]
    with tempfile.TemporaryDirectory() as scratch:
        for group, roots in ROOTS.items():
            resolved = resolve(roots, Path(scratch) / group)
            lines += sorted(line(group, jar, resolved) for jar in kept(group, resolved))
    LOCK.write_text("\n".join(lines) + "\n", encoding="utf-8")


def resolve(roots: list[str], folder: Path) -> Path:
    """Return a folder, in Maven's layout, with ``roots`` and all jars they need at run time."""
    folder.mkdir()
    dependencies = "".join(map(dependency, roots))
    pom = folder / "pom.xml"
    pom.write_text(
        "<project><modelVersion>4.0.0</modelVersion><groupId>lock</groupId>"
        "<artifactId>lock</artifactId><version>1</version>"
        f"<dependencies>{dependencies}</dependencies></project>"
    )
    subprocess.run(
        ["mvn", "-q", "-B", "-f", pom, f"-Dmaven.repo.local={folder.parent / 'repository'}",
         "dependency:copy-dependencies", "-DincludeScope=runtime",
         "-Dmdep.useRepositoryLayout=true", f"-DoutputDirectory={folder / 'jars'}"],
        check=True,
    )  # fmt: skip
    return folder / "jars"


def dependency(root: str) -> str:
    """Return the Maven dependency for a root, which is G:A:V or G:A:V:C with a classifier."""
    fields = zip(("groupId", "artifactId", "version", "classifier"), root.split(":"), strict=False)
    alone = root.count(":") == 3 or root.startswith(WITHOUT_DEPENDENCIES)
    inner = "".join(f"<{field}>{value}</{field}>" for field, value in fields)
    return f"<dependency>{inner}{ALONE if alone else ''}</dependency>"


def kept(group: str, resolved: Path) -> Iterator[Path]:
    """Yield the jars of a group that must be downloaded.

    For a Spark with another Scala version, these are the jars that differ from PySpark's.
    """
    kind, _, version = group.partition("-")
    names = [jar.name for jar in spark_jars(version)] if kind in BESIDE_SPARK else []
    for jar in resolved.rglob("*.jar"):
        artifact = jar.parent.parent.name
        bundled = NOT_BUNDLED not in jar.as_posix() and (
            artifact in ALSO_BUNDLED
            or any(
                name.startswith(f"{artifact}-") and name[len(artifact) + 1].isdigit()
                for name in names
            )
        )
        of_scala = artifact.startswith("scala-") or artifact.endswith("_2.13")
        if of_scala if kind == "spark" else not (names and bundled):
            yield jar


def spark_jars(version: str) -> Iterator[Path]:
    """Yield the jars of a Spark version, by default of the installed version."""
    return package(named(version) if version else own_version()).glob("jars/*.jar")


def line(group: str, jar: Path, resolved: Path) -> str:
    """Return the line of a jar in the lock file.

    The coordinate is G:A:jar:C:V for a jar with a classifier C, and G:A:V for other jars.
    """
    *domain, artifact, version, _ = jar.relative_to(resolved).parts
    classifier = jar.name.removeprefix(f"{artifact}-{version}").removesuffix(".jar").strip("-")
    middle = f"jar:{classifier}:" if classifier else ""
    digest = hashlib.sha256(jar.read_bytes()).hexdigest()
    coordinate = f"{'.'.join(domain)}:{artifact}:{middle}{version}"
    return f"{group} {coordinate} {jar.stat().st_size} {digest}"


if __name__ == "__main__":
    main()
