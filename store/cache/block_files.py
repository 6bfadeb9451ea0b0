"""Blocks of triples in temporary files, which are memory-mapped when a question needs them."""

import errno
import secrets
import shutil
import tempfile
from functools import cache, cached_property
from itertools import count
from pathlib import Path
from threading import Lock

import pyarrow as pa

from provhouse.runtime.scratch import scratch

from .triple_blocks import from_block

SPARE = 1 << 30
"""The number of bytes that blocks leave free on the disk."""
_making = Lock()
"""The lock for making a folder, so that concurrent threads make only one."""


class BlockFiles:
    """A temporary folder with a file for each partition that was read.

    The system keeps mapped files in memory as long as there is free memory. If a block cannot be
    written, because the disk is nearly full or the folder is gone, it is read from its partition
    again the next time.
    """

    def __init__(self) -> None:
        self._numbers = count()
        self._files: dict[Path, Path] = {}
        self._removed = False

    @cached_property
    def _folder(self) -> Path:
        folder = Path(_scratch().name) / secrets.token_hex(8)
        folder.mkdir()
        return folder

    def __contains__(self, partition: Path) -> bool:
        """Return whether a file contains the block of a partition."""
        return partition in self._files

    def find(self, partition: Path) -> pa.Table | None:
        """Return the triples of a partition without copying them, or None if no file has them."""
        file = self._files.get(partition)
        if file is None:
            return None
        try:
            with pa.memory_map(str(file)) as source:
                return pa.ipc.open_stream(source).read_all()
        except (OSError, pa.ArrowException):  # another program has cleaned the temporary folder
            self._files.pop(partition, None)
            return None

    def keep(self, partition: Path, block: bytes) -> pa.Table:
        """Write the block of a partition to a file, and return its triples."""
        if not self._removed:
            try:
                self._files[partition] = self._write(block)
            except OSError:
                return from_block(block)
        return self.find(partition) or from_block(block)

    def _write(self, block: bytes) -> Path:
        with _making:
            folder = self._folder
        file = folder / str(next(self._numbers))
        if shutil.disk_usage(folder).free < SPARE:
            raise OSError(errno.ENOSPC, "The disk is nearly full")
        try:
            file.write_bytes(block)
        except OSError:
            file.unlink(missing_ok=True)
            raise
        return file

    def remove(self) -> None:
        """Delete all files, and store no further blocks. Triples in use stay readable."""
        self._removed = True
        self._files.clear()
        if "_folder" in vars(self):
            shutil.rmtree(self._folder, ignore_errors=True)


@cache
def _scratch() -> "tempfile.TemporaryDirectory[str]":
    """Return the temporary folder of this process; it disappears even if the process is killed."""
    return scratch("blocks")
