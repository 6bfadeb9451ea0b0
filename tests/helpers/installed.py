"""Virtual environments into which the wheels of a release are installed."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[2]
WITH_JAVA = {"JAVA_HOME": os.environ.get("JAVA_HOME", ""), "PROVHOUSE_SPARK_MEMORY": "1g"}
"""The environment variables of commands that need a warehouse."""
UV = ROOT / ".venv" / "bin" / "uv"
PIP = ("pip", "install", "--quiet", "--system-certs", "--python")
"""The beginning of uv's command that installs packages; the environment's folder follows."""
Environment = Callable[..., Path]
"""A function that makes a virtual environment, and returns its folder ``bin``."""


def wheels_of(dist: Path) -> list[Path]:
    """Return the wheels of a release: provhouse-capture first."""
    return sorted(dist.glob("*.whl"), key=lambda wheel: "capture" not in wheel.name)


def make(folder: Path, wheels: list[Path], lock: str, *others: str, python: str) -> Path:
    """Make an environment with the packages of a lock, wheels and others; return ``bin``."""
    uv("venv", "--quiet", "--seed", "--python", python, folder)
    install = (*PIP, folder)
    if "pyspark" in (ROOT / lock).read_text(encoding="utf-8"):  # built from source
        uv(*install, "--require-hashes", "-r", ROOT / "locks/build.lock")
    hashed = ("--require-hashes", "--no-build-isolation", "-r", ROOT / lock)
    uv(*install, "--no-deps", *hashed)
    uv(*install, "--no-deps", *wheels)
    if others:
        uv(*install, *others)
    return folder / "bin"


def with_extra(environment: Environment, extra: str, lock: str = "locks/base.lock") -> Path:
    """Make an environment, add an extra as the pages type it, and return the folder ``bin``."""
    found = environment(lock)
    pip = [found / "python", "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
    run(*pip, f"provhouse[{extra}]", folder=found)
    return found


def uv(*arguments: object) -> None:
    """Run uv, which installs packages."""
    subprocess.run([UV, *map(str, arguments)], check=True)


def run(*command: object, folder: Path, **given: str) -> str:
    """Run a command without Java, and return what it prints. It must print no warning."""
    environment = {**os.environ, "JAVA_HOME": "/nowhere", **given}
    arguments = list(map(str, command))
    done = subprocess.run(arguments, cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "Warning" not in done.stderr, done.stderr
    return done.stdout
