"""Measure one contender, and print its figures as JSON: `peer_run.py NAME FOLDER`.

`peers.py` starts this script in a process of its own. The folder contains `items.parquet`,
`triples.parquet` and `questions.json`. All contenders identify items by number, and answer with the
numbers of all items that they find. They answer all questions twice. The first time, memory is
measured, and the contender's caches are filled. The second time, each answer is timed.
"""

import hashlib
import json
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Timer
from time import perf_counter
from typing import TypeVar

import numpy as np

from benchmarks.peers.contenders import (
    DuckDB,
    IGraph,
    IndexedDuckDB,
    Ladybug,
    Neo4j,
    Provhouse,
    SparkJoins,
)
from benchmarks.peers.peer import (
    AnswerDigest,
    ClassAnswers,
    ClassQuestions,
    ContenderInput,
    ContenderRun,
    Given,
    Peer,
)
from benchmarks.shared.measured_command import size
from provhouse.model.arrays import I64
from provhouse.runtime.memory_sizes import PeakMemory

CONTENDERS: dict[str, Callable[[Given], Peer]] = {
    "provhouse, cold": partial(Provhouse, hot=False),
    "provhouse, hot": partial(Provhouse, hot=True),
    "igraph": IGraph,
    "Ladybug": Ladybug,
    "Neo4j": Neo4j,
    "DuckDB, a query a level": IndexedDuckDB,
    "DuckDB, recursive": DuckDB,
    "Spark joins": SparkJoins,
}
Result = TypeVar("Result")


def run(name: str, folder: Path, given: ContenderInput) -> ContenderRun:
    """Let one contender load the input and answer all questions twice. Return its figures."""
    with TemporaryDirectory(prefix="provhouse-peer-") as scratch:
        files = folder / "items.parquet", folder / "triples.parquet"
        peer = CONTENDERS[name](Given(*files, given["settings"], given["limit"], Path(scratch)))
        with peer.stack:
            with PeakMemory.measured() as memory:
                peer.load()
                memory.include(peer.process)
                answers = [list(answered(peer, each)) for each in given["questions"]]
            pairs = zip(given["questions"], answers, strict=True)
            return {
                "load": {step: round(took, 2) for step, took in peer.watch.seconds.items()},
                "peak_memory_mb": memory.megabytes,
                "disk_bytes": size(peer.storage),
                "asked": [timed(peer, question, known) for question, known in pairs],
            }


def answered(peer: Peer, question: ClassQuestions) -> Iterator[AnswerDigest]:
    """Yield the digests of a class's answers, up to the first late answer."""
    direction = question["direction"]
    for item, name in zip(question["items"], question["names"], strict=True):
        found = within(peer, partial(peer.ask, item, direction))
        if found is None or within(peer, partial(peer.ask_named, name, direction)) is None:
            return
        yield digested(item, found[1])


def digested(item: int, found: I64) -> AnswerDigest:
    """Return the digest of an answer. The asked item is left out: only some programs return it."""
    others = np.setdiff1d(found, [item]).astype(np.int64)
    return {"items": len(others), "digest": hashlib.sha256(others.tobytes()).hexdigest()}


def timed(peer: Peer, question: ClassQuestions, answers: list[AnswerDigest]) -> ClassAnswers:
    """Ask the questions of a class again, and return their times. Stop at the first late answer.

    If ``answers`` has fewer answers than the class has questions, no question is asked again.
    """
    direction = question["direction"]
    asked: ClassAnswers = {"answers": answers, "late": True, "seconds": [], "named": []}
    if len(answers) < len(question["items"]):
        return asked
    for item, name in zip(question["items"], question["names"], strict=True):
        took = within(peer, partial(peer.ask, item, direction))
        named = within(peer, partial(peer.ask_named, name, direction))
        if took is None or named is None:
            return asked
        asked["seconds"].append(took[0])
        asked["named"] += [named[0]] if named[1] else []
    return {**asked, "late": False}


def within(peer: Peer, ask: Callable[[], Result]) -> tuple[float, Result] | None:
    """Ask a question, and return how many seconds it took and its answer.

    Returns None if the question exceeds the time limit.
    """
    peer.late.clear()

    def stop() -> None:
        peer.late.set()
        peer.cancel()

    timer = Timer(peer.given.limit, stop)
    timer.start()
    try:
        began = perf_counter()
        found = ask()
        took = perf_counter() - began
    except Exception:
        if not peer.late.is_set():
            raise
        return None
    finally:
        timer.cancel()
    return None if peer.late.is_set() else (took, found)


if __name__ == "__main__":
    folder = Path(sys.argv[2])
    given = json.loads((folder / "questions.json").read_text(encoding="utf-8"))
    print(json.dumps(run(sys.argv[1], folder, given)))
