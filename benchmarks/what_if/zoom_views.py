"""Measure views of a large answer: the part of `what_if.py` that needs a warehouse of its own."""

from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import TypedDict

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from provhouse.ingest.ingest import ingest
from provhouse.model.progress import Silent
from provhouse.model.question import Question
from provhouse.model.settings import Settings
from provhouse.model.zoom import LEVELS
from provhouse.query.lineage.ask import Asker
from provhouse.query.zoom.zoomed import zoom

TABLES = ("raw", "clean", "joined", "daily")
MODULES = ("curate", "join", "sum")
TOTAL, CALLS, REPEATS = "total/1", 200, 9


class ZoomRun(TypedDict):
    """A view of one answer; ``fold_ms`` and ``name_ms`` are the times of two of its steps."""

    level: str
    folded: list[str]
    triples: int
    nodes: int
    edges: int
    fold_ms: float
    name_ms: float
    whole_ms: float


def write_flow(count: int, file: Path, rng: np.random.Generator) -> None:
    """Write about ``count`` triples, of which nearly all are in the lineage of one item.

    Each item of a table is made from items of the previous table, in one of ``CALLS`` invocations
    of the table's module.
    """
    width = count // 4
    parts = [
        part for at, module in enumerate(MODULES)
        for part in (_made(at, module, width, rng), _made(at, module, width // 20, rng))
    ]  # fmt: skip
    last = np.arange(width)
    parts.append(
        _rows(last, np.ones(width, np.int64), TABLES[-1], "total", "total", "report", last % CALLS)
    )
    pq.write_table(pa.concat_tables(parts), file)


def _made(at: int, module: str, width: int, rng: np.random.Generator) -> pa.Table:
    dst = rng.permutation(width)
    src = rng.integers(0, width, width)
    src[: width // 2] = dst[: width // 2]  # so that most items have a successor
    return _rows(src, dst, TABLES[at], TABLES[at + 1], f"run {module}", module, dst % CALLS)


def _rows(
    src: np.ndarray, dst: np.ndarray, before: str, after: str, op: str, module: str,
    call: np.ndarray,
) -> pa.Table:  # fmt: skip
    count = len(src)
    fixed = {"op": op, "src_table": before, "dst_table": after, "module": module, "op_kind": "any"}
    return pa.table(
        {
            "src": [f"{before}/{n}" for n in src.tolist()],
            "dst": [f"{after}/{n}" for n in dst.tolist()],
            **{name: pa.repeat(pa.scalar(text), count) for name, text in fixed.items()},
            "execution": [str(n) for n in call.tolist()],
        }
    )


def zooms(count: int, folder: Path, rng: np.random.Generator) -> Iterator[ZoomRun]:
    """Yield the times of views of a lineage of about ``count`` triples, at each level."""
    write_flow(count, folder / "flow.parquet", rng)
    settings = Settings.load(
        {"warehouse": folder / "warehouse", "neo4j_home": folder / "neo4j", "idle_minutes": 0}
    )
    ingest([folder / "flow.parquet"], settings, progress=Silent())
    question = Question(TOTAL, "upstream")
    with Asker(settings, Silent()) as asker:
        for level in LEVELS:
            for folded in ([], ["join"]):
                if folded and level == "catalogue":
                    continue
                times, one = [], zoom(asker, question, level, folded)
                for _ in range(REPEATS):  # an answer is freed before the next one, as in a server
                    del one
                    one = zoom(asker, question, level, folded)
                    times.append(one.seconds)
                yield {
                    "level": level,
                    "folded": folded,
                    "triples": one.read.triples,
                    "nodes": one.nodes.num_rows,
                    "edges": one.edges.num_rows,
                    "fold_ms": _ms(each["fold"] for each in times),
                    "name_ms": _ms(each.get("name", 0) for each in times),
                    "whole_ms": _ms(each["total"] for each in times),
                }


def _ms(seconds: Iterator[float]) -> float:
    return round(median(seconds) * 1000, 1)
