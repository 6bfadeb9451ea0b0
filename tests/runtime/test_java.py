"""A suitable Java is chosen, and errors state why another Java cannot be used.

A shell script stands in for an unsuitable Java. The script prints the same output as that Java.
"""

import subprocess
from pathlib import Path

import pytest

from provhouse.model.errors import Unavailable
from provhouse.runtime.java import java

VECTOR = "jdk.incubator.vector"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty folder to which JAVA_HOME is set."""
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    return tmp_path


def plays(home: Path, script: str) -> Path:
    """Write a shell script as the ``java`` program of ``home``, and return the script's path."""
    executable = home / "bin" / "java"
    executable.parent.mkdir(exist_ok=True)
    executable.write_text(f"#!/bin/sh\n{script}\n")
    executable.chmod(0o755)
    return executable


def said(home: Path, script: str) -> str:
    """Return the reason why a Java with this script is refused."""
    plays(home, script)
    with pytest.raises(Unavailable) as error:
        java()
    assert "openjdk-17-jre-headless" in error.value.remedy
    return error.value.found


def test_the_java_of_this_machine_has_the_module_that_spark_needs() -> None:
    subprocess.run([java(), "--add-modules", VECTOR, "-version"], check=True, capture_output=True)


@pytest.mark.parametrize("version", ["17", "17.0.15", "21.0.2"])
def test_java_home_comes_before_path(home: Path, version: str) -> None:
    executable = plays(home, f"echo java.base@{version}; echo {VECTOR}@{version}")
    assert java() == executable


def test_path_is_searched_without_java_home(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    executable = plays(home, f"echo java.base@21; echo {VECTOR}@21")
    monkeypatch.delenv("JAVA_HOME")
    monkeypatch.setenv("PATH", str(executable.parent))
    assert java() == executable


def test_links_are_resolved_to_the_home_of_the_runtime(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    executable = plays(home, f"echo java.base@17; echo {VECTOR}@17")
    (home / "elsewhere").mkdir()
    (home / "elsewhere" / "java").symlink_to(executable)
    monkeypatch.delenv("JAVA_HOME")
    monkeypatch.setenv("PATH", str(home / "elsewhere"))
    assert java() == executable


def test_a_newer_java_first_on_path_does_not_hide_one_among_debians_alternatives(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    newer = plays(home, f"echo java.base@25; echo {VECTOR}@25")
    (home / "17").mkdir()
    good = plays(home / "17", f"echo java.base@17; echo {VECTOR}@17")
    tool = newer.with_name("update-alternatives")
    tool.write_text(f"#!/bin/sh\necho {newer}\necho {good}\n")
    tool.chmod(0o755)
    monkeypatch.delenv("JAVA_HOME")
    monkeypatch.setenv("PATH", str(newer.parent))
    assert java() == good


def test_a_missing_java_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(Unavailable, match="No java was found on PATH"):
        java()


def test_a_java_home_without_java_is_reported(home: Path) -> None:
    with pytest.raises(Unavailable) as error:
        java()
    assert error.value.found == f"JAVA_HOME is {home}, which contains no bin/java"


@pytest.mark.parametrize("version", ["11.0.2", "25"])
def test_another_release_is_refused(home: Path, version: str) -> None:
    found = said(home, f"echo java.base@{version}; echo {VECTOR}@{version}")
    assert found == f"{home}/bin/java is Java {version}"


def test_java_8_is_refused_with_its_version(home: Path) -> None:
    script = """[ "$1" = -version ] && echo 'openjdk version "1.8.0_292"' >&2"""
    assert said(home, script) == f"{home}/bin/java is Java 1.8.0_292"


def test_a_trimmed_runtime_is_refused(home: Path) -> None:
    assert f"Java 17.0.1 without its module {VECTOR}" in said(home, "echo java.base@17.0.1")


def test_a_java_that_does_not_start_is_refused(home: Path) -> None:
    assert said(home, "exit 1") == f"{home}/bin/java does not start"
    assert said(home, "kill -9 $$") == f"{home}/bin/java does not start"
