"""Check generated queries in batches. Each batch has its own tables.

python -m helpers.adversarial.run --first 0 --texts 300   (in the folder tests)
"""

import argparse
import re
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from provhouse.interactive import Connection

from .check import Outcome, check
from .database import Database, connect
from .marks import render
from .queries import Text, Writer
from .schema import PATHS
from .shrink import shrunk

BATCH = 25
"""The number of queries that share the same tables."""


@dataclass(frozen=True)
class Tried:
    """One query, the seed that generates it, and its outcome."""

    seed: int
    text: Text
    outcome: Outcome

    @property
    def sql(self) -> str:
        """The query's SQL text, without marks."""
        return render(self.text.body + self.text.tail)


def path_of(batch: int) -> str:
    """Return the search path for a batch."""
    return PATHS[batch % len(PATHS)]


def tried(first: int, texts: int, most: int = 2) -> Iterator[Tried]:
    """Check the queries of ``texts`` seeds, one each, and up to ``most`` rows of each query."""
    seed = first
    while seed < first + texts:
        batch = seed // BATCH
        plain = Database(batch, path_of(batch))
        slow = False  # after a slow text, the databases may be in a transaction
        with Connection(connect(batch, path_of(batch))) as con:
            while seed < min(first + texts, (batch + 1) * BATCH) and not slow:
                text = Writer(seed, path_of(batch)).text()
                found = Tried(seed, text, check(con, plain, text, seed, most))
                slow = found.outcome.kind == "slow"
                yield found
                seed += 1
        plain.con.close()


def shorter(found: Tried) -> str:
    """Return a shorter query that has the same outcome for the same reason."""
    batch = found.seed // BATCH
    plain = Database(batch, path_of(batch))
    same = found.outcome.kind, signature(found.outcome.why)
    with Connection(connect(batch, path_of(batch))) as con:

        def fails(text: Text) -> bool:
            outcome = check(con, plain, text, found.seed, most=20)
            return (outcome.kind, signature(outcome.why)) == same

        text = shrunk(found.text, fails)
    return render(text.body + text.tail)


def signature(why: str) -> str:
    """Return the part of a message that is the same for all failures with the same cause."""
    return re.sub("[0-9]+", "N", why)[:40]


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description="Try generated SQL.")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--texts", type=int, default=300)
    parser.add_argument("--shrink", action="store_true", help="make failing texts shorter")
    parser.add_argument("--undecided", action="store_true")
    parser.add_argument("--refused", action="store_true")
    given = parser.parse_args()
    began = time.perf_counter()
    counts: Counter[str] = Counter()
    for each in tried(given.first, given.texts):
        outcome = each.outcome
        counts[outcome.kind] += 1
        counts["with rows"] += outcome.kind == "right" and outcome.rows > 0
        counts["tried rows"] += outcome.tried
        counts["undecided"] += bool(outcome.undecided)
        counts["fragile"] += outcome.kind == "right" and (each.text.fragile or each.text.chooses)
        if outcome.kind in ("wrong", "slow") or (given.refused and outcome.kind == "refused"):
            print(f"{outcome.kind} {each.seed}: {outcome.why}\n    {each.sql}", flush=True)
        if outcome.kind == "wrong" and given.shrink:
            print(f"    shorter: {shorter(each)}", flush=True)
        if given.undecided and outcome.undecided:
            print(f"undecided {each.seed}: {outcome.undecided[0]}\n    {each.sql}", flush=True)
    print(dict(counts), f"{time.perf_counter() - began:.1f} s")


if __name__ == "__main__":
    main()
