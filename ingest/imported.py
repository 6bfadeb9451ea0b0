"""An import: what another warehouse exported becomes a generation, whole and unaltered."""

from functools import partial
from pathlib import Path

from provhouse.model.errors import BadInput
from provhouse.model.progress import Progress, Stopwatch
from provhouse.model.settings import Settings
from provhouse.store.warehouse.manifest import Manifest, read_manifest, verified

from .formats.registry import Source, check
from .ingest import IMPORTED_BYTES
from .run import Order, carry_out
from .steps.order import STEPS
from .summary import Summary
from .work import Work


def import_(folder: Path, settings: Settings, progress: Progress) -> Summary:
    """Take in an export: into a warehouse that is not there yet, or as any ingest beside others.

    Raises BadInput, with nothing taken in, for a folder without a manifest, a file that is not as
    it was exported, and totals that are not those of the manifest; Busy beside another writer.
    """
    watch = Stopwatch()
    manifest = read_manifest(folder)
    progress.begin("Verify the files")
    with watch.step("verify"):
        paths = verified(folder, manifest.files)
    found = [Source(str(path), "export") for path in paths]
    for source in found:
        check(source)
    order = Order(
        steps=(
            *STEPS[:2],
            ("Compare with the manifest", partial(_compare_read, manifest)),
            *STEPS[2:5],
            ("Verify what came in", partial(_compare_held, manifest)),
            *STEPS[5:],
        ),
        sources=found,
        large=sum(source.bytes_unpacked for source in found) >= IMPORTED_BYTES,
    )
    return carry_out(order, settings, watch, progress)


def _compare_read(manifest: Manifest, work: Work) -> None:
    """All rows are triples, and there are as many names as there should be."""
    _compare("triples", manifest.triples, work.rows)
    _compare("items", manifest.items, sum(named.items for named in work.named))


def _compare_held(manifest: Manifest, work: Work) -> None:
    """A warehouse that held nothing holds what was exported."""
    assert work.commit, "the tables are written before"
    if work.held is None or not work.held.visible:
        _compare("triples", manifest.triples, work.commit.totals.triples)
        _compare("items", manifest.items, work.commit.totals.items)


def _compare(what: str, wanted: int, found: int) -> None:
    if wanted != found:
        raise BadInput(
            f"The export should hold {wanted:,} {what}, as its manifest says",
            f"{found:,} came in",
            "Export again; nothing was taken in",
        )
