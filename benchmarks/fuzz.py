"""Sum up what the targets of `make fuzz` have recorded, as `results/fuzz.json`.

python benchmarks/fuzz.py RECORD
"""

import argparse
import json
from datetime import UTC, datetime
from operator import itemgetter
from pathlib import Path

from fuzz_form import Results
from machine import machine, packages

RESULTS = Path(__file__).parent / "results" / "fuzz.json"


def main() -> None:
    """Write the results anew."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("record", type=Path)
    lines = parser.parse_args().record.read_text(encoding="utf-8").splitlines()
    results: Results = {
        "date": datetime.now(UTC).date().isoformat(),
        "machine": machine(),
        "versions": packages("provhouse", "schemathesis"),
        "targets": sorted(map(json.loads, lines), key=itemgetter("target")),
    }
    RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
