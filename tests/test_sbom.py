"""The software bill of materials is complete and reproducible, and contains no URLs."""

import json
import re
import subprocess
import sys
from pathlib import Path

from provhouse.runtime.jar_lock import GROUPS, locked

ROOT = Path(__file__).parent.parent
PINNED = re.compile(r"^[A-Za-z0-9._-]+==", re.MULTILINE)


def written(file: Path) -> bytes:
    program = str(ROOT / "tools" / "sbom.py")
    subprocess.run([sys.executable, program, str(file)], check=True, stdout=subprocess.DEVNULL)
    return file.read_bytes()


def test_the_bill_lists_all_locked_packages_and_jars(tmp_path: Path) -> None:
    text = written(tmp_path / "one.json")
    assert written(tmp_path / "other.json") == text
    listed = json.loads(text)
    assert (listed["bomFormat"], listed["specVersion"]) == ("CycloneDX", "1.6")
    kinds = [one["purl"].partition(":")[2].partition("/")[0] for one in listed["components"]]
    locks = ("locks/dev.lock", "locks/build.lock")
    assert kinds.count("pypi") == sum(len(PINNED.findall((ROOT / k).read_text())) for k in locks)
    jars = {jar.sha256 for group in GROUPS for jar in locked(group)}
    hashes = {one["hashes"][0]["content"] for one in listed["components"] if "hashes" in one}
    assert hashes == jars
    references = [one["bom-ref"] for one in listed["components"]]
    assert len(set(references)) == len(references)
    assert b"://" not in text
