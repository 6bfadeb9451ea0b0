"""Import the export of another warehouse, complete and unchanged, as one generation."""

from dataclasses import replace
from functools import partial
from pathlib import Path

from provhouse.model.errors import BadInput
from provhouse.model.progress import Progress, Stopwatch
from provhouse.model.samples import sample_sentence
from provhouse.model.settings import Settings
from provhouse.store.warehouse.commits import Commit
from provhouse.store.warehouse.manifest import Manifest, read_manifest, verified

from .declared_modules import given_modules
from .formats.known_formats import check
from .formats.source import Source
from .ingest import IMPORTED_BYTES, SMALL_BYTES
from .ingest_summary import Summary
from .job import Inputs, Job, JobStep
from .op_descriptions import given_operations
from .steps.number import number
from .steps.order import NUMBER, READ, Check, JobResult, is_empty, make_generation
from .steps.read import read
from .writing_run import carry_out

COMPARE = JobStep("compare", "Compare with the manifest")
VERIFY = JobStep("verify", "Verify the import")


def import_(folder: Path, settings: Settings, progress: Progress) -> Summary:
    """Import the export in ``folder`` into a new warehouse, or add it to the stored base.

    Raises BadInput, and imports nothing, if the folder does not contain a manifest, if a file
    differs from the exported file, or if totals differ from the manifest. The same holds if the
    manifest names samples, because answers could not mention them. Raises Busy if another process
    writes.
    """
    watch = Stopwatch()
    manifest = read_manifest(folder)
    if manifest.samples:
        raise _sampled(folder, manifest)
    progress.begin("Verify the files")
    with watch.step("verify"):
        paths = verified(folder, manifest.files)
        described = verified(folder, [manifest.operations] if manifest.operations else [])
        declared = verified(folder, [manifest.modules] if manifest.modules else [])
    found = [Source(str(path), "export") for path in paths]
    for source in found:
        check(source)
    naming = None if manifest.naming == "unique" else manifest.naming
    operations = [replace(given_operations(path), source="") for path in described]
    modules = [replace(given_modules(path), source="") for path in declared]
    inputs = Inputs(
        found,
        naming=naming,
        patterns=manifest.patterns,
        operations=operations[0] if operations else None,
        modules=modules[0] if modules else None,
    )
    return carry_out(
        partial(_import_files, manifest),
        inputs,
        settings,
        watch,
        progress,
        small=inputs.bytes_unpacked < SMALL_BYTES,
        large=inputs.bytes_unpacked >= IMPORTED_BYTES,
    )


def _sampled(folder: Path, manifest: Manifest) -> BadInput:
    return BadInput(
        f"{folder} cannot be imported",
        f"{sample_sentence(manifest.samples)}. Answers of another warehouse would not show this",
        "Copy the warehouse instead, or ingest the export's files with `provhouse ingest`",
    )


def _import_files(manifest: Manifest, job: Job) -> JobResult:
    """Run the steps of an ingest, and compare the totals with the manifest.

    Both the totals that were read from the files and the totals that were written are compared.
    """
    with job.step(READ):
        found = read(job)
    if is_empty(job, found):
        return JobResult(found)
    with job.step(NUMBER):
        numbered = number(job, found)
    with job.step(COMPARE):
        _compare("triples", manifest.triples, found.rows)
        _compare("items", manifest.items, found.items)
    check = Check(VERIFY, partial(_compare_stored, manifest))
    return make_generation(job, found, numbered, check)


def _compare_stored(manifest: Manifest, job: Job, commit: Commit) -> None:
    """Raise BadInput if the warehouse was empty and its totals now differ from the manifest."""
    if job.extends is None or not job.extends.visible:
        _compare("triples", manifest.triples, commit.totals.triples)
        _compare("items", manifest.items, commit.totals.items)


def _compare(what: str, wanted: int, found: int) -> None:
    if wanted != found:
        raise BadInput(
            "The export does not match its manifest",
            f"The files have {found:,} {what}, but the manifest lists {wanted:,}",
            "Export again; nothing was imported",
        )
