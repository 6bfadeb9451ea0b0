"""The process that proves: plans and tables as JSON from stdin, the result as JSON to stdout."""

import json
import sys
from dataclasses import asdict

from ..plan_json import from_json
from .prover import attempt
from .schema import schema_from_json


def main() -> None:
    """Try one proof."""
    (first, second), tables = json.load(sys.stdin)
    sys.setrecursionlimit(10_000)
    found = attempt(from_json(first), from_json(second), schema_from_json(tables))
    json.dump(asdict(found), sys.stdout)


if __name__ == "__main__":
    main()
