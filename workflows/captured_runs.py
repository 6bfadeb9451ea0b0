"""Revisions and executions of captured Spark jobs, stored when their lineage has landed.

Each table that a job wrote is a sink. If something cannot be stored, this is only noted: the job
goes on.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from provhouse.capturing.analysed_plan import captured_plan, captured_reads
from provhouse.capturing.reading.description import CapturedWrite
from provhouse.capturing.reading.file_names import Key
from provhouse.capturing.reading.finished import captured_writes, outputs_of
from provhouse.commit.single_writer import only_writer
from provhouse.equivalence.catalyst_scans import FilesRead
from provhouse.model.errors import BadInput
from provhouse.model.progress import Progress
from provhouse.model.settings import Settings
from provhouse.store.warehouse.captured_blocks import Block, read_kept
from provhouse.store.warehouse.layout import Layout

from .executions import Execution, RegisteredJob, add_executions, add_result
from .pinned_data import pins_of, scans_of
from .pinned_inputs import InputPin, files_of, pinned
from .revision_names import RevisionName, revision_name
from .revisions import CAPTURED, SinkPlan, store_revision

Sink = tuple[CapturedWrite, SinkPlan]


def register_job(
    folder: Path,
    workflow: str,
    settings: Settings,
    progress: Progress,
    keys: Mapping[str, Key] | None = None,
) -> RegisteredJob:
    """Store the revision and the execution of a job whose writes have landed from ``folder``.

    ``keys`` replace the declared keys of the job. The folder is not deleted. Raises Busy if another
    writer is active.
    """
    block = read_kept(folder)
    declared = block.keys if keys is None else keys
    sinks, notes = _sinks(folder)
    if not sinks:
        return RegisteredJob("", tuple(notes))
    plans = {table: plan for table, (_, plan) in sinks.items()}
    added = store_revision(workflow, plans, settings, progress)
    name, done = revision_name(added.revision), list[Execution]()
    with only_writer(settings, progress):
        progress.begin("Store the results")
        for table, sink in sinks.items():
            try:
                key = declared.get(table, ())
                done.append(_executed(folder.name, name, table, sink, block, key, settings))
            except BadInput as error:
                notes.append(f"The result {table} is not stored. {error.wanted}: {error.found}")
        if done:
            add_executions(Layout(settings.warehouse), done)
    return RegisteredJob(added.revision, tuple(notes), len(done))


def _sinks(folder: Path) -> tuple[dict[str, Sink], list[str]]:
    """Return the landed writes of a job with their plans, by table.

    If keys were wrong at first, earlier ingests of the folder have landed some of these writes.
    """
    writes: dict[str, list[CapturedWrite]] = {}
    for write in captured_writes(folder):
        if write.state == "finished" and write.landed.exists():
            writes.setdefault(write.table, []).append(write)
    found, notes = dict[str, Sink](), list[str]()
    for table, each in writes.items():
        plan = captured_plan(each[0].folder) if len(each) == 1 else None
        if plan:
            found[table] = each[0], SinkPlan.of_plan(CAPTURED, plan)
        else:
            why = "the job has written it several times" if len(each) > 1 else "it has no plan"
            notes.append(f"The table {table} is no sink of the revision, since {why}")
    return found, notes


def _executed(
    execution: str,
    name: RevisionName,
    table: str,
    sink: Sink,
    block: Block,
    key: Key,
    settings: Settings,
) -> Execution:
    """Store the result of a write, and return its execution."""
    write, plan = sink
    pins = _pins(write, plan)
    stored = _stored(write, plan, key, Layout(settings.warehouse))
    return Execution(execution=execution, revision=name, sink=table, inputs=pins, result=stored,
                     started=block.begun, run=block.run)  # fmt: skip


def _stored(write: CapturedWrite, plan: SinkPlan, key: Key, layout: Layout) -> str:
    """Store the result of a write; return its digest."""
    files = [file for output in outputs_of([write]) for file in output.files]
    if not files or write.format not in ("parquet", "delta"):
        raise BadInput("Only Parquet files and Delta tables are stored", f"It is {write.format}")
    return add_result(layout, files, plan, key)


def _pins(write: CapturedWrite, plan: SinkPlan) -> tuple[InputPin, ...]:
    """Return the pins of all inputs of a write; raise BadInput if one cannot be pinned exactly."""
    given: dict[str, str] = {}
    places: list[Path] = []
    for read in captured_reads(write.folder):
        places.append(place := _place(read))
        name = ".".join(read.table)
        given[name] = f"{place}@{read.version}" if read.format == "delta" else str(place)
        if read.format == "parquet":
            _check_files(write, place)
    _check_places(write, places)
    pins = pinned(given)
    pins_of(scans_of(plan.plan), pins)
    for source in write.sources:
        source.check_unchanged()
    return pins


def _place(read: FilesRead) -> Path:
    if len(read.paths) != 1 or read.format not in ("parquet", "delta"):
        raise BadInput(
            f"The input {read.table[-1]} cannot be pinned",
            f"It is {read.format} in {len(read.paths)} folders",
            "Read a Delta table, or one folder of Parquet files",
        )
    return Path(read.paths[0].removeprefix("file:"))


def _check_places(write: CapturedWrite, places: Sequence[Path]) -> None:
    """Raise BadInput if a write has read a file outside of the folders that its plan names.

    A partition of a table may be in any folder.
    """
    for source in write.sources:
        if not any(source.path.is_relative_to(place) for place in places):
            raise BadInput(
                f"The input {source.path} cannot be pinned",
                "It is in none of the folders of the tables that the job has read",
                "Keep all partitions of a table in its folder",
            )


def _check_files(write: CapturedWrite, place: Path) -> None:
    """Raise BadInput unless a write has read exactly the Parquet files of a folder."""
    read = {each.path for each in write.sources if each.path.is_relative_to(place)}
    if read != set(files_of(place)):
        raise BadInput(
            f"The input {place} cannot be pinned",
            "The files that the job has read are not those in the folder",
            "Pin it with `provhouse executions add`",
        )
