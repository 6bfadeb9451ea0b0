"""The catalogue: jobs and datasets of OpenLineage, joined to tables of the warehouse by name."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from provhouse.model.columns import TABLE
from provhouse.store.tables.openlineage_jobs import Dataset, JobRun, Key, datasets_of, read_jobs
from provhouse.store.tables.snapshot import Snapshot
from provhouse.store.warehouse.commits import current
from provhouse.store.warehouse.layout import Layout

_PARTS = re.compile(r"[./\\]")


@dataclass(frozen=True)
class Use:
    """A dataset that a job reads or writes.

    A job without datasets is represented by one row without a dataset.
    """

    job: str
    uses: Literal["reads", "writes", ""]
    dataset: str
    table: str | None
    """The table of the warehouse with this name; None if there is none, or if several datasets
    have the name."""
    columns: int
    """The number of columns that events have named; 0 if unknown."""
    integration: str
    """The program that ran the job, such as SPARK; empty if unknown."""
    state: str
    """The state of the newest complete run; if no run is complete, the state of the newest run."""
    time: str
    job_namespace: str
    dataset_namespace: str


@dataclass(frozen=True)
class Catalogue:
    """The datasets of all jobs, in order of the jobs' names."""

    uses: tuple[Use, ...]


def catalogue(layout: Layout) -> Catalogue:
    """Return the catalogue, joined to the tables of the current generation."""
    jobs = read_jobs(layout)
    commit = current(layout)
    tables = table_names(Snapshot(layout, commit)) if commit else ()
    joined = join(jobs, tables)
    return Catalogue(tuple(use for job in jobs for use in _uses(job, joined)))


def table_names(snapshot: Snapshot) -> Collection[str]:
    """Return the names of the tables of a generation."""
    return {name for name in snapshot.rows("tables")[TABLE].to_pylist() if name}


def join(jobs: Iterable[JobRun], tables: Collection[str]) -> dict[Key, str]:
    """Return the table that each dataset belongs to, determined by the names of both.

    The name of such a dataset is the name of the table, or ends with the table's name after a dot
    or a slash, as in ``shop.public.orders`` and ``/data/orders``. The names of symlinks count too.
    If the names of several datasets match a table, only a dataset whose complete name is the
    table's name belongs to it.
    """
    datasets = datasets_of(jobs)
    whole = {key: _one(_names(each), tables) for key, each in datasets.items()}
    ends = {
        key: _one([_PARTS.split(name.rstrip("/"))[-1] for name in _names(each)], tables)
        for key, each in datasets.items()
    }
    found: dict[Key, str] = {}
    for names in (ends, whole):  # whole names come last: they replace ends of names
        counts = Counter(filter(None, names.values()))
        alone = {key: name for key, name in names.items() if name and counts[name] == 1}
        taken = {*alone.values()}
        found = {key: name for key, name in found.items() if name not in taken} | alone
    return found


def links(layout: Layout, tables: Collection[str]) -> Iterator[tuple[str, str, str]]:
    """Yield, for each job, each pair of an input and an output: two names and the name of the job.

    An input or output is named by its table, or by the namespace and name of the dataset if it does
    not belong to a table.
    """
    jobs = read_jobs(layout)
    joined = join(jobs, tables)

    def named(each: Dataset) -> str:
        return joined.get(each.key) or f"{each.namespace} {each.name}"

    for job in jobs:
        for source in job.inputs:
            for target in job.outputs:
                yield named(source), named(target), job.name


def _names(dataset: Dataset) -> Sequence[str]:
    return [dataset.name, *(name for _, name in dataset.aliases)]


def _one(names: Iterable[str], tables: Collection[str]) -> str | None:
    """Return the table if exactly one of the names is the name of a table, else None."""
    found = {name for name in names if name in tables}
    return found.pop() if len(found) == 1 else None


def _uses(job: JobRun, joined: dict[Key, str]) -> Iterator[Use]:
    head = {
        "job": job.name, "integration": job.integration, "state": job.state, "time": job.time,
        "job_namespace": job.namespace,
    }  # fmt: skip
    if not job.inputs and not job.outputs:
        yield Use(uses="", dataset="", table=None, columns=0, dataset_namespace="", **head)
    sides: tuple[tuple[Literal["reads", "writes"], Sequence[Dataset]], ...] = (
        ("reads", job.inputs), ("writes", job.outputs),
    )  # fmt: skip
    for uses, datasets in sides:
        for each in datasets:
            yield Use(
                uses=uses, dataset=each.name, table=joined.get(each.key),
                columns=len(each.fields), dataset_namespace=each.namespace, **head,
            )  # fmt: skip
