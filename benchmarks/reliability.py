"""Sum up the rounds that `make test-long` has recorded, as `results/reliability.json`.

python benchmarks/reliability.py [--rounds .long/rounds.jsonl]
"""

import argparse
import json
import sys
from datetime import UTC, datetime
from pathlib import Path

from machine import machine
from reliability_form import Results, Rounds

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "benchmarks" / "results" / "reliability.json"
sys.path.append(str(ROOT / "tests"))


def main() -> None:
    """Write the results anew."""
    from fire.rounds import kills, points

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=Path, default=ROOT / ".long" / "rounds.jsonl")
    lines = parser.parse_args().rounds.read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    results: Results = {
        "date": datetime.now(UTC).date().isoformat(),
        "machine": machine(),
        "points": {},
        "moments": {},
        "points_planned": len(points()),
        "moments_planned": len(kills()),
    }
    for row in rows:
        by = results["moments" if row["point"].startswith("seed ") else "points"]
        name = f"{row['change']}{' (own Spark)' if row['cold'] else ''}"
        none: Rounds = {"rounds": 0, "new": 0}
        cell = by.setdefault(name, {}).setdefault(row["victim"], none)
        cell["rounds"] += 1
        cell["new"] += row["new"]
    RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
