"""Manifests, and the deletion of objects that they do not name."""

from dataclasses import replace

import pytest

from helpers.memory_objects import MemoryObjects
from provhouse.model.errors import Damaged
from provhouse.runtime.remote.remote_manifest import (
    FILES,
    MANIFESTS,
    StoredFile,
    delete_unlisted,
    read_manifest,
    write_manifest,
)

NAMES = StoredFile(f"{FILES}{3:012d}/base-1/names", 5, "ab")


def test_a_manifest_is_read_as_it_was_written() -> None:
    objects = MemoryObjects()
    key = write_manifest(objects, 3, {"base-1/names": NAMES})
    assert key == f"{MANIFESTS}{3:012d}"
    assert read_manifest(objects, key) == {"base-1/names": NAMES}
    assert read_manifest(objects, f"{MANIFESTS}{5:012d}") is None


@pytest.mark.parametrize("path", ["../x", "/etc/x", "base-1/../../x"])
def test_a_manifest_that_names_files_elsewhere_is_refused(path: str) -> None:
    objects = MemoryObjects()
    key = write_manifest(objects, 3, {path: replace(NAMES)})
    with pytest.raises(Damaged, match="Cannot read manifests/"):
        read_manifest(objects, key)


def test_a_deletion_spares_what_a_later_writer_has_uploaded() -> None:
    objects = MemoryObjects()
    mine, later, theirs = NAMES.key, f"{FILES}{4:012d}/base-1/names", f"{FILES}x"
    for key in (mine, later, theirs, f"{FILES}{1:012d}/base-1/names", f"{MANIFESTS}{1:012d}"):
        objects.write(key, b"")
    key = write_manifest(objects, 3, {"base-1/names": NAMES})
    delete_unlisted(objects, 3, key, {"base-1/names": NAMES})
    assert sorted(objects.held) == sorted([mine, later, theirs, key])
