"""A command that changes rows is ingested only with the key that names these rows."""

from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest

from provhouse.capturing.reading.changed_rows import check_change
from provhouse.capturing.reading.file_names import Key
from provhouse.model.errors import UsageError


def ending(path: Path, *, ends: bool = True, kept: bool = False) -> Mock:
    """Return the output of an UPDATE that ends rows of a file without writing the file again."""
    path.write_bytes(b"rows")
    output = Mock()
    output.write.configure_mock(removed=(), kept=kept, ends=ends, table="orders", path=path.parent)
    output.ended.return_value = {Mock(path=path): np.arange(2)}
    return output


def known_by(*, files: Key, path: Key) -> Mock:
    """Return a warehouse whose captured writes made the rows' files and wrote to the table's path.

    Each is given by its key.
    """
    known = Mock()
    known.writes.side_effect = lambda states: [Mock(key=files) if files else None for _ in states]
    known.at.return_value = [Mock(key=()), Mock(key=path)]
    return known


@pytest.mark.parametrize("ends", [True, False])
@pytest.mark.parametrize("where", ["in files of a job", "moved", "in files of the block"])
def test_rows_that_a_key_names_end_only_with_this_key(
    where: str, ends: bool, tmp_path: Path
) -> None:
    """OPTIMIZE outside of a block moves the rows to files that no captured job wrote."""
    file = tmp_path / "old.parquet"
    output = ending(file, ends=ends)
    known = known_by(
        files=("id",) if where == "in files of a job" else (),
        path=("id",) if where == "moved" else (),
    )
    fresh = {file: ("id",)} if where == "in files of the block" else {}
    with pytest.raises(UsageError, match="without its key") as error:
        check_change(output, (), known, fresh)
    assert error.value.found == "Captured jobs named its rows by the key id"
    check_change(output, ("id",), known, fresh)


def test_copies_that_were_captured_with_a_key_need_it(tmp_path: Path) -> None:
    """Without copies, the positions of the rows can name them as well."""
    known = known_by(files=(), path=())
    with pytest.raises(UsageError, match="without its key") as error:
        check_change(ending(tmp_path / "old.parquet", kept=True), (), known, {})
    assert error.value.found == "The key was declared while the job ran"
    check_change(ending(tmp_path / "other.parquet"), (), known, {})
