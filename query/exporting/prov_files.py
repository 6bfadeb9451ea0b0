"""Convert the Parquet files of an export into one file of W3C PROV."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Literal

import pyarrow.parquet as pq

from provhouse.ingest.formats.prov_terms import Found
from provhouse.store.warehouse.manifest import Manifest, part_of

from .prov_forms import Statements, as_json, as_n, as_turtle
from .prov_statements import statement

ProvForm = Literal["prov-json", "prov-n", "prov-o"]
_FORMS: dict[ProvForm, tuple[str, Callable[[Statements], Iterator[str]]]] = {
    "prov-json": ("provjson", as_json),
    "prov-n": ("provn", as_n),
    "prov-o": ("ttl", as_turtle),
}
"""For each format, the ending of the file, and the function that yields the file's text."""
_ROWS = 1 << 14


def converted(manifest: Manifest, exported: Path, folder: Path, form: ProvForm) -> Manifest:
    """Write the triples of an export to a file in ``folder``, and return the file's description."""

    def statements() -> Iterator[Found]:
        for part in manifest.files:
            with pq.ParquetFile(exported / part.name) as file:
                for batch in file.iter_batches(_ROWS):
                    yield from map(statement, batch.to_pylist())

    ending, texts = _FORMS[form]
    path = folder / f"triples.{ending}"
    with path.open("w", encoding="utf-8") as out:
        out.writelines(texts(statements))
    return replace(
        manifest, files=(part_of(path, manifest.triples),), operations=None, modules=None
    )
