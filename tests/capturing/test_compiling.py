"""The Java sources compile on a JDK, and on a Java runtime alone, for the same Java."""

from pathlib import Path

from provhouse.capturing.compiling import _for_oldest_java
from provhouse.capturing.spark_versions import OLDEST_JAVA


def test_only_a_jdk_checks_the_classes_of_the_oldest_java(tmp_path: Path) -> None:
    program = tmp_path / "bin" / "java"
    assert _for_oldest_java(program) == (f"-{OLDEST_JAVA}",)
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "ct.sym").touch()
    assert _for_oldest_java(program) == ("--release", str(OLDEST_JAVA))
