"""The software bill of materials as CycloneDX 1.6 JSON, from the locks: `make sbom`.

The same locks give the same bytes. Only jars have a hash in the output. A Python package has
several files, one for each platform, so their hashes are only in the lock.
"""

import json
import re
import sys
import tomllib
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from provhouse.runtime.jar_lock import GROUPS, Jar, locked

ROOT = Path(__file__).parent.parent
LOCKS = ("locks/dev.lock", "locks/build.lock")
_PINNED = re.compile(r"^([A-Za-z0-9._-]+)==([^\s;\\]+)", re.MULTILINE)


def document() -> dict[str, Any]:
    """Return the bill of materials."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    components = sorted([*_python(), *_java()], key=lambda one: one["bom-ref"])
    identity = uuid.uuid5(uuid.NAMESPACE_OID, json.dumps(components))
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{identity}",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": project["name"],
                "name": project["name"],
                "version": project["version"],
                "licenses": [{"license": {"id": project["license"]}}],
            }
        },
        "components": components,
    }


def _python() -> Iterator[dict[str, Any]]:
    pinned = {found for lock in LOCKS for found in _PINNED.findall((ROOT / lock).read_text())}
    for name, version in pinned:
        purl = f"pkg:pypi/{name.lower().replace('_', '-')}@{version}"
        yield {
            "type": "library", "bom-ref": purl, "name": name, "version": version, "purl": purl,
        }  # fmt: skip


def _java() -> Iterator[dict[str, Any]]:
    once = {jar.coordinate: jar for group in GROUPS for jar in locked(group)}
    return map(_jar, once.values())


def _jar(jar: Jar) -> dict[str, Any]:
    group, artifact, *kind, version = jar.coordinate.split(":")
    purl = f"pkg:maven/{group}/{artifact}@{version}"
    if kind[1:]:
        purl += f"?classifier={kind[1]}"
    return {
        "type": "library",
        "bom-ref": purl,
        "group": group,
        "name": artifact,
        "version": version,
        "purl": purl,
        "hashes": [{"alg": "SHA-256", "content": jar.sha256}],
    }


def main() -> None:
    """Write the bill of materials to the file that the first argument names."""
    target = Path(sys.argv[1])
    made = document()
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")
    print(f"{target}: {len(made['components'])} components")


if __name__ == "__main__":
    main()
