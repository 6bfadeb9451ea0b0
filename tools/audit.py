"""Check the locked Python packages for known vulnerabilities: `make audit`.

The jars are not checked, because pip-audit does not cover them. The exit status is 0 if nothing is
found, 7 if a vulnerability is found, and 5 if no advisory service could be reached.
"""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
LOCKS = ("locks/dev.lock", "locks/build.lock")


def main() -> int:
    """Audit all locks and return the exit status."""
    named = [part for lock in LOCKS for part in ("--requirement", str(ROOT / lock))]
    command = [sys.executable, "-m", "pip_audit", "--require-hashes", "--disable-pip",
               "--progress-spinner", "off", "--format", "json", *named]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    try:
        found = json.loads(done.stdout)["dependencies"]
    except (ValueError, KeyError):
        return _not_done((done.stderr.strip().splitlines() or ["pip-audit printed nothing"])[-1])
    skipped = [one["name"] for one in found if "skip_reason" in one]
    if len(skipped) == len(found):  # the service knows none of the packages
        return _not_done(f"the advisory service knows none of {len(found)} packages")
    known = [(one, flaw) for one in found for flaw in one.get("vulns", ())]
    for one, flaw in known:
        fixed = ", ".join(flaw["fix_versions"]) or "no version"
        print(f"{one['name']} {one['version']}: {flaw['id']}, fixed in {fixed}")
    if skipped:
        print(f"audit: skipped, unknown to the advisory service: {', '.join(skipped)}")
    print(
        f"audit: {len(found) - len(skipped)} packages checked, {len(known)} known vulnerabilities"
    )
    return 7 if known else 0


def _not_done(why: str) -> int:
    print(f"audit: NOT DONE, no advisories available: {why[:300]}", file=sys.stderr)
    return 5


if __name__ == "__main__":
    sys.exit(main())
