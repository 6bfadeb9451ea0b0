"""Keep what `make soak` has recorded, as `results/soak.json`.

python benchmarks/soak.py RECORD
"""

import argparse
import json
from datetime import UTC, datetime
from pathlib import Path

from machine import machine
from soak_form import Results

RESULTS = Path(__file__).parent / "results" / "soak.json"


def main() -> None:
    """Write the results anew."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("record", type=Path)
    results: Results = {
        "date": datetime.now(UTC).date().isoformat(),
        "machine": machine(),
        "soaked": json.loads(parser.parse_args().record.read_text(encoding="utf-8")),
    }
    RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
