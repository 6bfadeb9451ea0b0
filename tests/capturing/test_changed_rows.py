"""A command that changes rows is ingested only with the key that names these rows."""

from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest

from provhouse.capturing.reading.changed_rows import check_change
from provhouse.model.errors import UsageError


def ending(path: Path, *, ends: bool = True) -> Mock:
    """Return the output of an UPDATE that ends rows of a file without writing the file again."""
    path.write_bytes(b"rows")
    output = Mock()
    output.write.configure_mock(removed=(), kept=False, ends=ends, table="orders")
    output.ended.return_value = {Mock(path=path): np.arange(2)}
    return output


@pytest.mark.parametrize("ends", [True, False])
def test_rows_that_a_key_names_end_only_with_this_key(ends: bool, tmp_path: Path) -> None:
    output, known = ending(tmp_path / "old.parquet", ends=ends), Mock()
    known.writes.side_effect = lambda states: [Mock(key=("id",)) for _ in states]
    with pytest.raises(UsageError, match="without its key") as error:
        check_change(output, (), known)
    assert error.value.found == "Captured jobs named its rows by the key id"
    check_change(output, ("id",), known)


def test_rows_end_only_with_the_key_that_the_job_declared(tmp_path: Path) -> None:
    known = Mock()
    known.writes.side_effect = lambda states: [None for _ in states]
    with pytest.raises(UsageError, match="without its key") as error:
        check_change(ending(tmp_path / "old.parquet"), (), known)
    assert error.value.found == "The key was declared while the job ran"
    check_change(ending(tmp_path / "other.parquet", ends=False), (), known)
