"""Asks whether anything in the locks is known to be vulnerable: `make audit`.

The jars are not looked at: pip-audit knows Python's packages only.
Ends with 0 if nothing is known, 7 if something is, 5 if nobody could be asked.
"""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
LOCKS = ("requirements.lock", "requirements-build.lock")


def main() -> int:
    """Audit all locks."""
    named = [part for lock in LOCKS for part in ("--requirement", str(ROOT / lock))]
    command = [sys.executable, "-m", "pip_audit", "--require-hashes", "--disable-pip",
               "--progress-spinner", "off", "--format", "json", *named]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    try:
        found = json.loads(done.stdout)["dependencies"]
    except (ValueError, KeyError):
        return _not_done((done.stderr.strip().splitlines() or ["pip-audit said nothing"])[-1])
    skipped = [one["name"] for one in found if "skip_reason" in one]
    if len(skipped) == len(found):  # a source that knows nothing is none
        return _not_done(f"none of {len(found)} packages is known there")
    known = [(one, flaw) for one in found for flaw in one.get("vulns", ())]
    for one, flaw in known:
        mended = ", ".join(flaw["fix_versions"]) or "no version"
        print(f"{one['name']} {one['version']}: {flaw['id']}, mended in {mended}")
    if skipped:
        print(f"audit: not known there, so not looked at: {', '.join(skipped)}")
    print(f"audit: {len(found) - len(skipped)} packages looked at, {len(known)} known flaws")
    return 7 if known else 0


def _not_done(why: str) -> int:
    print(f"audit: NOT DONE, no advisories could be had: {why[:300]}", file=sys.stderr)
    return 5


if __name__ == "__main__":
    sys.exit(main())
