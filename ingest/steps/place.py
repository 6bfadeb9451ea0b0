"""Step 4: sort new triples into partitions, and new names by item number.

Triples that the warehouse already stores are left out; their new origins become assertions.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from provhouse.commit.ending import NOTHING_ENDS, Ended, end_of_origins
from provhouse.commit.numbered_origins import Origin, origins_of, stored_origins
from provhouse.store.tables.partitions import UNKNOWN_ORIGIN

from ..job import Job
from .cut_components import CutResult
from .grouping import consecutive
from .number import NumberResult
from .place_assertions import Repeats
from .place_groups import CountGroups
from .place_names import (
    RANGE,
    GatherNames,
    IndexNames,
    ScatterIds,
    ScatterNames,
    name_ranges,
)
from .place_triples import GatheredRange, GatherTriples, ScatterTriples
from .read import ReadResult

NAMES_PER_TRIPLE, LOOKUPS_PER_TRIPLE = 2, 40
"""The number of names, and of look-up entries, that take as long to write as one triple."""


@dataclass(frozen=True)
class PlaceResult:
    """The partitions and assertions of each range, the origins, and the triples that end."""

    ranges: Sequence[GatheredRange]
    origins: Sequence[Origin]
    """The origin of each input file, in order; in a compaction, all stored origins."""
    ended: Ended = NOTHING_ENDS
    """The triples that end because this ingest of the run no longer contains them."""

    @property
    def triples(self) -> int:
        """The number of new triples."""
        return sum(sum(part.partitions) for part in self.ranges)

    @property
    def partitions(self) -> int:
        """The number of new partitions."""
        return sum(len(part.partitions) for part in self.ranges)

    @property
    def derived(self) -> int:
        """The number of new triples with a value in a column that describes derivations."""
        return sum(part.derived for part in self.ranges)

    @property
    def asserted(self) -> int:
        """The number of new assertions: pairs of a triple and an origin other than its first."""
        return sum(part.asserted for part in self.ranges)

    @property
    def is_empty(self) -> bool:
        """Whether the job adds no triples, adds no assertions, and ends no triples."""
        return not (self.triples or self.asserted or self.ended)


def place(job: Job, read: ReadResult, numbered: NumberResult, cut: CutResult) -> PlaceResult:
    """Sort the new triples into partitions, and the new names by item number."""
    before = job.snapshot()
    earlier = stored_origins(before) if before else []
    origins, bring = numbered.origins, [UNKNOWN_ORIGIN] * len(read.files)
    if origins is None:
        files = [source.origin for source in job.inputs.sources]
        origins = origins_of(files, job.inputs.run, earlier, job.ids.origin)
        bring = [origin.number for origin in origins]
        groups = len(read.files) - len(bring)  # their rows name the input files
        bring += [UNKNOWN_ORIGIN] * groups
    _scatter(job, read, cut, bring)
    job.progress.begin("Write the partitions")
    result = PlaceResult(_gather(job, read, cut), origins)
    job.progress.count("new triples", result.triples)
    if before is None or job.inputs.run is None:
        return result
    same_run = [origin.number for origin in earlier if origin.run == job.inputs.run]
    ended = end_of_origins(before, same_run, Repeats(job.staging.repeats.all()))
    return PlaceResult(result.ranges, origins, ended)


def _scatter(job: Job, read: ReadResult, cut: CutResult, bring: Sequence[int]) -> None:
    """Distribute triples and names over ranges of item numbers."""
    rows, patterns = [file.valid for file in read.files], read.patterns(job.patterns)
    groups = consecutive(rows)
    tasks: list[ScatterTriples | ScatterNames | ScatterIds] = [
        ScatterTriples(group, job.staging, cut.bounds, bring[group.start : group.stop], bring)
        for group in groups
    ]
    at = np.cumsum([0, *(bucket.items for bucket in read.buckets)]).tolist()
    tasks += [
        ScatterNames(number, at[number], job.staging, job.ids.item, cut.items, patterns)
        for number in range(len(read.buckets))
    ]
    sizes = [sum(rows[number] for number in group) for group in groups]
    sizes += [bucket.items for bucket in read.buckets]
    for number, start in enumerate(range(0, read.items - read.names, RANGE), len(read.buckets)):
        assert read.row_ids, "other items have names"
        end = min(start + RANGE, read.items - read.names)
        only = ScatterIds(
            start=start,
            end=end,
            bucket=number,
            at=read.names,
            tables=read.row_ids.tables,
            staging=job.staging,
            first_item=job.ids.item,
            items=cut.items,
            patterns=patterns,
        )
        tasks.append(only)
        sizes.append(end - start)
    job.run(tasks, sizes)


def _gather(job: Job, read: ReadResult, cut: CutResult) -> list[GatheredRange]:
    """Sort and write each range of triples and of names; also write the look-up of names."""
    count = len(cut.bounds) + 1
    tasks: list[GatherTriples | CountGroups | GatherNames | IndexNames] = [
        GatherTriples(
            number=number,
            staging=job.staging,
            snapshot=job.snapshot(),
            first_item=job.ids.item,
            partition_triples=job.settings.partition_triples,
            ingest=job.ids.ingest,
            born=job.ids.generation,
            replaces=job.inputs.run is not None,
            labels_differ=all(source.format == "export" for source in job.inputs.sources),
        )
        for number in range(count)
    ]
    rows = [read.rows // count] * count
    if job.staging.count_groups():
        tasks.append(CountGroups(len(read.files), count, job.staging))
        rows.append(read.rows // count)
    if cut.items:
        patterns = read.patterns(job.patterns)
        tasks.append(IndexNames(job.staging, job.ids.ingest, patterns))
        rows.append(cut.items // LOOKUPS_PER_TRIPLE)
        for number, names in enumerate(name_ranges(cut.items)):
            gather = GatherNames(number, job.staging, job.ids.item, job.ids.ingest, patterns)
            tasks.append(gather)
            rows.append(names // NAMES_PER_TRIPLE)
    done = job.run(tasks, rows)
    return [result for result in done if isinstance(result, GatheredRange)]
