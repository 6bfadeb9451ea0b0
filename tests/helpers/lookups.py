"""Write look-ups of names in each form that a warehouse may have."""

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pyarrow as pa

from provhouse.store.names.hashing import hashes
from provhouse.store.names.lookup import lookup_file, write_lookup
from provhouse.store.names.old_lookup import old_lookup_files


def new_form(folder: Path, ingest: int, names: pa.Array) -> None:
    """Write the look-up of names whose items are consecutive."""
    pairs = hashes(names), np.arange(len(names), dtype=np.uint32)
    write_lookup(lookup_file(folder, ingest), lambda: [pairs])


def old_form(folder: Path, ingest: int, names: pa.Array) -> None:
    """Write the look-up as releases before format 10 did: two files."""
    _, first, second = old_lookup_files(folder, ingest)
    hashed = hashes(names)
    order = np.argsort(hashed)
    np.save(first, hashed[order])
    np.save(second, order.astype(np.uint32))


def erased_form(folder: Path, ingest: int, names: pa.Array) -> None:
    """Write the look-up as an erasure by an earlier release did: both files in one."""
    joined, _, _ = old_lookup_files(folder, ingest)
    hashed = hashes(names)
    order = np.argsort(hashed).astype(np.uint32)
    padded = np.append(order, np.zeros(len(order) % 2, np.uint32)).view(np.uint64)
    np.save(joined, np.concatenate([np.sort(hashed), padded]))


FORMS: Mapping[str, Callable[[Path, int, pa.Array], None]] = {
    "new": new_form,
    "old": old_form,
    "old after an erasure": erased_form,
}
"""The forms of a look-up, each with the function that writes it."""
