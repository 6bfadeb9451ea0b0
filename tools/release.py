"""The files of a release, built from the last commit: `make release` writes them to ``dist``.

They are two wheels, the source distribution, the jars with which Spark captures, the software bill
of materials, and the checksums of these files. The jars for other versions of Spark are those that
`make jars-all` has compiled. Nothing is published: docs/releasing.md describes how to publish a
release.
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tarfile
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZipFile

import sbom
from split_wheel import split

ROOT = Path(__file__).parent.parent
CHECKSUMS = "SHA256SUMS"
_SDIST = "from setuptools import build_meta; print(build_meta.build_sdist({folder!r}))"


def release(target: Path) -> list[Path]:
    """Write the files of a release to an empty folder, and return them."""
    target.mkdir(parents=True)
    with TemporaryDirectory(prefix="provhouse-release-") as temporary:
        source = Path(temporary)
        with tarfile.open(fileobj=BytesIO(_git("archive", "HEAD"))) as packed:
            packed.extractall(source, filter="data")
        for jar in (ROOT / "capturing").glob("provhouse-capture_*.jar"):
            shutil.copy(jar, source / "capturing")
        # Files in the wheel have the time of the commit, so that the same commit gives equal bytes.
        given = {**os.environ, "SOURCE_DATE_EPOCH": _git("log", "-1", "--format=%ct").decode()}
        python, folder = sys.executable, str(target.absolute())
        build = ["-m", "pip", "--disable-pip-version-check", "wheel", "--quiet", "--no-deps"]
        for arguments in (
            [*build, "--no-build-isolation", "--wheel-dir", folder, "."],
            ["-c", _SDIST.format(folder=folder)],
        ):
            subprocess.run(
                [python, *arguments], cwd=source, env=given, check=True, stdout=subprocess.DEVNULL
            )
    (wheel,) = target.glob("*.whl")
    version = wheel.name.split("-")[1]
    check_contents(wheel)
    with ZipFile(split(wheel)) as opened:
        for member in (name for name in opened.namelist() if name.endswith(".jar")):
            spark = Path(member).name.rpartition("-")[0]
            (target / f"{spark}-{version}.jar").write_bytes(opened.read(member))
    bill = target / f"provhouse-{version}.cdx.json"
    bill.write_text(json.dumps(sbom.document(), indent=1) + "\n", encoding="utf-8")
    files = sorted(target.iterdir())
    lines = [f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in files]
    (target / CHECKSUMS).write_text("".join(lines), encoding="utf-8")
    return [*files, target / CHECKSUMS]


def check_contents(wheel: Path) -> None:
    """Raise SystemExit if a wheel has top-level folders other than the package and its metadata."""
    with ZipFile(wheel) as opened:
        tops = {name.partition("/")[0] for name in opened.namelist()}
    others = {top for top in tops if top != "provhouse" and not top.endswith(".dist-info")}
    if others:
        raise SystemExit(f"release: {wheel.name} also contains {', '.join(sorted(others))}")


def _git(*arguments: str) -> bytes:
    return subprocess.run(["git", *arguments], cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout


def main() -> None:
    """Write a release to the folder that the first argument names, and list its files."""
    target = Path(sys.argv[1])
    if target.exists():
        raise SystemExit(f"release: {target} exists already; remove it or name another folder")
    if _git("status", "--porcelain"):
        raise SystemExit("release: some changes are not committed; commit them or remove them")
    for file in release(target):
        print(f"{file}: {file.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
