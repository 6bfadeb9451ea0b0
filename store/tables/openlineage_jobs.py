"""The jobs and datasets that OpenLineage events have named."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ..warehouse.layout import Layout
from .registry import OPENLINEAGE, read
from .registry import replace as replace_rows

COMPLETE = frozenset({"COMPLETE", ""})
"""The states of runs that name all their job's datasets; a job without a run has the state ''."""
_MOST_OPEN = 10
"""The maximum number of incomplete runs that are kept for a job."""

Key = tuple[str, str]
"""A namespace and a name."""


@dataclass(frozen=True)
class Dataset:
    """A dataset, with the columns and the other names that the newest event gave it."""

    namespace: str
    name: str
    fields: tuple[tuple[str, str], ...] = ()
    """The columns, each with its type, which may be empty."""
    aliases: tuple[Key, ...] = ()

    @property
    def key(self) -> Key:
        """The namespace and the name."""
        return self.namespace, self.name


@dataclass(frozen=True)
class JobRun:
    """A run of a job, with the datasets that its events up to ``time`` have named."""

    namespace: str
    name: str
    integration: str
    """The program that sent the events, such as SPARK; empty if it is not known."""
    run: str
    """The id of the run; empty for a job that was described without a run."""
    state: str
    """The type of the last event; empty for a job that was described without a run."""
    time: str
    """The time of the last event, in ISO 8601 and UTC."""
    inputs: tuple[Dataset, ...]
    outputs: tuple[Dataset, ...]

    def also(self, other: "JobRun") -> "JobRun":
        """Return this run combined with other events of the same run.

        The result has the datasets of both, and the state of the later event.
        """
        first, last = (self, other) if self.time <= other.time else (other, self)
        return replace(
            last,
            integration=last.integration or first.integration,
            inputs=_union(first.inputs, last.inputs),
            outputs=_union(first.outputs, last.outputs),
        )


def merged(runs: Iterable[JobRun]) -> list[JobRun]:
    """Return each run once, with the datasets that all of its events have named."""
    found: dict[tuple[str, str, str], JobRun] = {}
    for each in runs:
        key = each.namespace, each.name, each.run
        found[key] = found[key].also(each) if key in found else each
    return [*found.values()]


def read_runs(layout: Layout) -> list[JobRun]:
    """Return the stored runs. Raises Damaged if the table is unreadable."""
    return [*map(_run, read(layout, OPENLINEAGE).to_pylist())]


def read_jobs(layout: Layout) -> list[JobRun]:
    """Return each job's newest complete run, or else its newest run, by namespace and name.

    Raises Damaged if the table is unreadable.
    """
    found: dict[Key, JobRun] = {}
    for each in sorted(read_runs(layout), key=lambda run: (run.state in COMPLETE, run.time)):
        found[each.namespace, each.name] = each
    return [found[key] for key in sorted(found)]


def datasets_of(runs: Iterable[JobRun]) -> dict[Key, Dataset]:
    """Return the datasets of the given runs, with all columns and names that any run has stated."""
    every = [each for run in runs for each in (*run.inputs, *run.outputs)]
    return {each.key: each for each in _union((), every)}


def add_runs(layout: Layout, runs: Sequence[JobRun]) -> None:
    """Store runs in addition to the runs of other jobs.

    For each job, the newest complete run and later incomplete runs are kept.
    """
    by_job: dict[Key, list[JobRun]] = {}
    names = {(each.namespace, each.name) for each in runs}
    stored = [each for each in read_runs(layout) if (each.namespace, each.name) in names]
    for each in merged([*stored, *runs]):
        by_job.setdefault((each.namespace, each.name), []).append(each)
    kept = [row for of_job in by_job.values() for row in map(_row, _kept(of_job))]
    rows = pa.Table.from_pylist(kept, schema=OPENLINEAGE.schema)
    replace_rows(layout, OPENLINEAGE, _among(names), rows)


def _among(names: Iterable[Key]) -> pc.Expression:
    texts = pa.array([json.dumps(each) for each in names], pa.string())
    return pc.field("job").isin(texts)


def _kept(runs: Sequence[JobRun]) -> list[JobRun]:
    in_order = sorted(runs, key=lambda each: each.time)
    complete = [at for at, each in enumerate(in_order) if each.state in COMPLETE]
    first = complete[-1] if complete else 0
    return [*in_order[first : first + 1], *in_order[first + 1 :][-_MOST_OPEN:]]


def _union(first: Sequence[Dataset], last: Sequence[Dataset]) -> tuple[Dataset, ...]:
    found = {each.key: each for each in first}
    for each in last:
        known = found.get(each.key, each)
        fields, aliases = each.fields or known.fields, each.aliases or known.aliases
        found[each.key] = replace(each, fields=fields, aliases=aliases)
    return tuple(found.values())


def _row(run: JobRun) -> dict[str, Any]:
    sides = {"inputs": run.inputs, "outputs": run.outputs}
    return {
        **vars(run),
        "job": json.dumps((run.namespace, run.name)),
        **{side: json.dumps([asdict(each) for each in found]) for side, found in sides.items()},
    }


def _run(row: dict[str, Any]) -> JobRun:
    del row["job"]
    sides = {side: tuple(map(_dataset, json.loads(row[side]))) for side in ("inputs", "outputs")}
    return JobRun(**{**row, **sides})


def _dataset(found: dict[str, Any]) -> Dataset:
    pairs = {name: tuple((a, b) for a, b in found[name]) for name in ("fields", "aliases")}
    return Dataset(found["namespace"], found["name"], **pairs)
