"""The lock file of the jars contains exact versions and checksums, and no address."""

import re
from typing import get_args

from provhouse.runtime.jar_lock import GROUPS, LOCK, Group, Jar, locked


def test_every_line_is_an_exact_coordinate_with_its_size_and_sha256() -> None:
    lines = LOCK.read_text().splitlines()[1:]
    exact = re.compile(
        r"(neo4j|(delta|iceberg|s3a)(-\d\.\d_2\.1\d)?|hdfs|kafka|yarn|page|compiler|queries"
        r"|spark-3\.5_2\.13) [\w.-]+(:[\w.-]+){2,4} [1-9]\d* [0-9a-f]{64}"
    )
    assert [line for line in lines if not exact.fullmatch(line)] == []
    assert len(lines) == sum(len(locked(group)) for group in get_args(Group))


def test_jars_of_a_group_have_different_names() -> None:
    for group in GROUPS:
        assert len({jar.name for jar in locked(group)}) == len(locked(group))


def test_a_classifier_is_the_end_of_the_name() -> None:
    assert Jar("neo4j", "g.h:a:1.0", 1, "").name == "a-1.0.jar"
    assert Jar("neo4j", "g.h:a:jar:linux:1.0", 1, "").name == "a-1.0-linux.jar"


def test_the_locked_versions_are_the_tested_ones() -> None:
    coordinates = {jar.coordinate for group in GROUPS for jar in locked(group)}
    assert coordinates >= {
        "org.neo4j:neo4j:5.26.30",
        "org.neo4j.client:neo4j-browser:5.24.0",
        "io.delta:delta-spark_4.2_2.13:4.4.0",
    }
