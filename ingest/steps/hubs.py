"""Find items that may join unrelated rows, such as a string that stands for a missing name."""

import numpy as np

from provhouse.model.arrays import I32
from provhouse.model.columns import NAME
from provhouse.model.compiled import compiled
from provhouse.runtime.storage import has_file, load_array, open_array, read_stream

from ..ingest_summary import Hub
from ..job import Job
from .read import ReadResult

NEIGHBOURS = 1_000_000
"""The smallest number of neighbours that make an item a hub."""
TABLES = 3
"""The smallest number of tables to which the neighbours of a hub must belong."""


def find_hubs(job: Job, read: ReadResult) -> tuple[Hub, ...]:
    """Return the hubs among the named items of an ingest, largest first, and report each hub.

    Only neighbours in rows of this ingest count. Groups do not count as hubs, since their purpose
    is to join rows.
    """
    if read.rows < NEIGHBOURS:
        return ()
    counts = job.room.zeros(read.items, np.int32)
    for src, dst in job.staging.edge_chunks():
        _count(src, counts)
        _count(dst, counts)
    if has_file(job.staging.groups):
        counts[load_array(job.staging.groups)] = 0
    places = np.flatnonzero(counts[: read.names] >= NEIGHBOURS)
    hubs = [_hub(job, read, place) for place in places.tolist()]
    hubs = [hub for hub in hubs if hub.neighbours >= NEIGHBOURS and hub.tables >= TABLES]
    hubs.sort(key=lambda hub: -hub.neighbours)
    for hub in hubs:
        job.progress.say(
            f"The item {hub.item!r} has {hub.neighbours:,} neighbours in {hub.tables:,} tables. "
            "If it stands for a missing value, ingest the files with --null instead"
        )
    return tuple(hubs)


def _hub(job: Job, read: ReadResult, place: int) -> Hub:
    """Return an item with the number of its distinct neighbours, and of the neighbours' tables."""
    near = job.room.zeros(read.items, np.bool_)
    for src, dst in job.staging.edge_chunks():
        near[dst[src == place]] = True
        near[src[dst == place]] = True
    near[place] = False
    neighbours = np.flatnonzero(near)
    tables = np.unique(open_array(job.staging.tables)[neighbours])
    return Hub(_name(job, read, place), len(neighbours), int(np.count_nonzero(tables)))


def _name(job: Job, read: ReadResult, place: int) -> str:
    bucket = 0
    while place >= read.buckets[bucket].items:
        place -= read.buckets[bucket].items
        bucket += 1
    return str(read_stream(job.staging.items(bucket))[NAME][place])


@compiled()
def _count(places: I32, counts: I32) -> None:
    """Add the number of occurrences of each place to ``counts``."""
    for place in places:
        counts[place] += 1
