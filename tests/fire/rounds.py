"""Rounds of the long tests: the interrupted command, the fault point, and the killed process."""

from random import Random
from typing import NamedTuple

KILLS = 200
CHANGES = (
    "ingest", "ingest", "replace", "compact", "rollback", "retract", "prune", "forget", "repair",
)  # fmt: skip
"""The commands to interrupt at random moments.

A command that is listed twice is chosen twice as often.
"""
STEPS = ("begun", "read", "number", "cut", "place", "write", "load", "commit")
LASTING = (
    "ids aside",
    "ids taken",
    "names moved",
    "partition moved",
    "partitions moved",
    "rows written=stop@1",
    "rows written=stop@4",
    "log appended=stop@1",
    "log appended=stop@5",
    "table synced",
    "batch unwritten=stop@1",
    "batch unwritten=stop@4",
    "batch written=stop@1",
    "batch written=stop@3",
    "mark unwritten",
    "mark written",
    "record unwritten",
    "record aside",
    "record linked",
    "ids aside=stop@2",
    "ids finished",
    "announced",
)
SERVER = ("Neo4j configured", "Neo4j spawned", "Neo4j up")
SHORT = ("record unwritten", "record aside", "record linked", "announced")
POINTS = {
    "ingest": ("lock held", "staging removed", *STEPS, *LASTING),
    "replace": (*STEPS[5:], *LASTING),
    "compact": ("stage", "verify", "log appended=stop@2", "load", *SHORT),
    "rollback": ("lock held", "ids taken", "batch written", "mark written", *SHORT),
    "retract": (
        "lock held",
        "ids taken",
        "rows written=stop@1",
        "log appended=stop@2",
        "batch written",
        "mark unwritten",
        "mark written",
        *SHORT,
    ),
    "ops set": ("write", "rows written=stop@1", "log appended=stop@1", "load", *SHORT),
    "modules set": ("write", "rows written=stop@1", "log appended=stop@1", "load", *SHORT),
    "prune": (
        "ids aside",
        "ids taken",
        "record dropped=stop@1",
        "record dropped=stop@2",
        "ids aside=stop@2",
    ),
    "forget": (
        "lock held",
        "results erased",
        "erasure aside",
        "erasure written",
        "erased unwritten",
        "erased written",
        "erasure written=stop@2",
        "erasure written=stop@3",
        "file rewritten",
        "ops cleared",
        "links cleared",
        "segment rewritten",
        "look-up rewritten",
        "look-up switched",
        "logs cleared",
        "Neo4j discarded",
        "Neo4j wiped",
        "import begun",
        "import complete",
        "ingest repaired",
        "marks repaired",
        "Neo4j made anew",
    ),
    "forget a row": ("row ids rewritten", "rejects cleared"),
    "repair": (
        "lock held",
        "batch unwritten",
        "batch written",
        "ingest repaired",
        "marks repaired",
    ),
    "ingest merged": ("rows written=stop@2", "files merged=stop@1", "files merged=stop@3"),
    "prune merged": ("merged file removed=stop@1", "merged file removed=stop@9"),
    "ingest anew": SERVER,  # Neo4j is not running
    "repair anew": (
        "import begun",
        "import written",
        "import complete",
        *SERVER,
        "ingest repaired=stop@1",
        "ingest repaired=stop@2",
        "mark unwritten",
        "mark written",
    ),
    "recovery": (
        "base removed",
        "table taken back",
        "names dropped",
    ),  # recovery from what a killed writer left earlier
}
"""The fault points of each command, by command name.

``COLD`` has the points that need a separate process.
"""
COLD = {
    "ingest": ("begun", "rows staged", "partition staged", "cut", "place", "load", "record aside"),
    "compact": ("partition staged", "load"),
}
"""The fault points, by command, of the rounds that start a separate process.

In rounds that kill Spark, the input files are so large that an ingest starts Spark.
"""
ELSEWHERE = (
    "hint removed",
    "checkpoint removed",
    "registered rows written",
    "registered rows published",
    "result written",
)
"""Fault points that other tests cover.

``test_rewriting.py`` tests rewritten files with a changed length, ``test_registry.py`` registered
tables, and ``test_killed.py`` stored results.
"""


class Round(NamedTuple):
    """One round: a command, where it is interrupted, and the process that is killed there."""

    change: str
    point: str
    """The name of a fault point, as in ``faults.POINTS``, or the seed of a random moment."""
    victim: str
    cold: bool

    @property
    def name(self) -> str:
        """The name of the round in the results."""
        return f"{'cold' if self.cold else 'warm'}, {self.change}, {self.point}, {self.victim}"


def points() -> list[Round]:
    """Return a round for each combination of command, fault point and process to kill."""
    rounds = []
    for cold, table in ((False, POINTS), (True, COLD)):
        for victim in ("command", "Neo4j", *(["Spark"] if cold else [])):
            for change, names in table.items():
                if not _is_useless(change, victim):
                    rounds += [Round(change, name, victim, cold) for name in names]
    Random(0).shuffle(rounds)  # any part of the rounds then covers all kinds
    return rounds


def _is_useless(change: str, victim: str) -> bool:
    if victim == "Spark":
        return change == "compact"  # a compaction of few triples uses no Spark
    return victim == "Neo4j" and change in ("repair anew", "recovery")


def kills() -> list[Round]:
    """Return rounds, each with a random command, moment and process to kill."""
    rounds = []
    for seed in range(KILLS):
        random = Random(seed)
        change = random.choice(CHANGES)
        victim = random.choice(("command", "command", "Neo4j"))
        rounds.append(Round(change, f"seed {seed}", victim, cold=False))
    return rounds
