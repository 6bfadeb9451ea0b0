"""Measure the times of several ways to compute the same answer; their runs take turns."""

import time
from collections.abc import Callable, Mapping, Sequence
from statistics import median
from typing import TypeVar

from benchmarks.interactive.results_form import Times

Value = TypeVar("Value")


def timed(run: Callable[[], Value]) -> tuple[Times, Value]:
    """Return the milliseconds of a call, and its value."""
    wall, cpu = time.perf_counter(), time.process_time()
    value = run()
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    return {"cpu": round(1e3 * cpu, 3), "wall": round(1e3 * wall, 3)}, value


def medians(ways: Mapping[str, Callable[[], object]], repeats: int) -> dict[str, Times]:
    """Return the median times of each way. The ways take turns; the first turn is not counted."""
    times: dict[str, list[Times]] = {way: [] for way in ways}
    for repeat in range(repeats + 1):
        for way, run in ways.items():
            found, _ = timed(run)
            if repeat:  # the first one compiles and reads
                times[way].append(found)
    return {way: middle(each) for way, each in times.items()}


def middle(times: Sequence[Times]) -> Times:
    """Return the medians of times."""
    return {
        "cpu": median(each["cpu"] for each in times),
        "wall": median(each["wall"] for each in times),
    }
