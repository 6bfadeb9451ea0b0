"""Files appear complete or not at all. A lock has one holder, and the holder's end releases it."""

import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from threading import Timer

import pytest

from provhouse.model.errors import Unavailable
from provhouse.runtime.files import (
    exclusive,
    left_aside,
    lock,
    make_folder,
    open_lock,
    write_new,
    write_over,
)

Write = Callable[..., bool]
BOTH = pytest.mark.parametrize("write", [write_new, write_over])


@BOTH
def test_the_content_is_written_and_no_temporary_file_stays(tmp_path: Path, write: Write) -> None:
    assert write(tmp_path / "a", b"text")
    assert (tmp_path / "a").read_bytes() == b"text"
    assert os.listdir(tmp_path) == ["a"]


@BOTH
def test_the_mode_is_set_from_the_start(tmp_path: Path, write: Write) -> None:
    """A new file has its mode from the start, so no process can read a password before a chmod."""
    modes = []

    def before() -> None:
        (aside,) = left_aside(tmp_path, "secret")
        modes.append(stat.S_IMODE(aside.stat().st_mode))

    assert write(tmp_path / "secret", b"x", mode=0o600, before=before)
    assert [*modes, stat.S_IMODE((tmp_path / "secret").stat().st_mode)] == [0o600, 0o600]


@BOTH
def test_content_and_folder_are_on_disk_before_and_after_the_name_appears(
    tmp_path: Path, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[str] = []

    def fsync(handle: int) -> None:
        calls.append("folder" if stat.S_ISDIR(os.fstat(handle).st_mode) else "file")

    monkeypatch.setattr(os, "fsync", fsync)
    assert write(tmp_path / "a", b"x", before=lambda: calls.append("before"))
    assert calls == ["file", "before", "folder"]


def test_write_new_keeps_a_file_that_exists(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"first")
    assert not write_new(tmp_path / "a", b"second")
    assert (tmp_path / "a").read_bytes() == b"first"
    assert os.listdir(tmp_path) == ["a"]


def test_write_new_does_not_write_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    assert not write_new(tmp_path / "link", b"x")
    assert not (tmp_path / "elsewhere").exists()


def test_write_over_replaces_a_file_and_leaves_open_readers_the_old_one(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"first")
    with (tmp_path / "a").open("rb") as reader:
        assert write_over(tmp_path / "a", b"second")
        assert reader.read() == b"first"
    assert (tmp_path / "a").read_bytes() == b"second"


@BOTH
def test_nothing_appears_if_the_temporary_file_was_removed(tmp_path: Path, write: Write) -> None:
    def remove() -> None:
        for file in left_aside(tmp_path, "a"):
            file.unlink()

    assert not write(tmp_path / "a", b"x", before=remove)
    assert os.listdir(tmp_path) == []


@BOTH
def test_an_error_before_publishing_leaves_nothing(tmp_path: Path, write: Write) -> None:
    def fail() -> None:
        raise RuntimeError

    with pytest.raises(RuntimeError):
        write(tmp_path / "a", b"x", before=fail)
    assert os.listdir(tmp_path) == []


@BOTH
def test_a_missing_folder_is_an_error(tmp_path: Path, write: Write) -> None:
    """A missing folder is an error. If the temporary file is missing, ``write`` returns False."""
    with pytest.raises(FileNotFoundError):
        write(tmp_path / "missing" / "a", b"x")


def test_only_our_temporary_files_are_found(tmp_path: Path) -> None:
    for name in (".a.json.0123abcd", ".a.json.0123abcg", ".b.json.0123abcd", "a.json", ".a.json"):
        (tmp_path / name).touch()
    assert [file.name for file in left_aside(tmp_path, r"a\.json")] == [".a.json.0123abcd"]


def test_a_folder_is_made_with_its_parents(tmp_path: Path) -> None:
    for _ in range(2):
        make_folder(tmp_path / "a" / "b")
    assert (tmp_path / "a" / "b").is_dir()


def test_a_folder_that_cannot_be_made_is_unavailable(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(Unavailable, match="--warehouse") as caught:
        make_folder(tmp_path / "file" / "a")
    assert str(tmp_path / "file" / "a") in str(caught.value)


def test_a_lock_excludes_and_is_shared_by_readers(tmp_path: Path) -> None:
    first, second = (open_lock(tmp_path / "lock") for _ in range(2))
    assert stat.S_IMODE((tmp_path / "lock").stat().st_mode) == 0o600
    assert lock(first, shared=True)
    assert lock(second, shared=True)
    assert not lock(second)
    os.close(first)
    assert lock(second)
    os.close(second)


HOLD = """
import sys
from pathlib import Path
from provhouse.runtime.files import lock, open_lock
assert lock(open_lock(Path(sys.argv[1])))
print(flush=True)
sys.stdin.read()
"""


def test_a_killed_process_frees_its_lock(tmp_path: Path) -> None:
    command = [sys.executable, "-c", HOLD, str(tmp_path / "lock")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout
        holder.stdout.readline()
        handle = open_lock(tmp_path / "lock")
        assert not lock(handle)
        holder.kill()
        holder.wait()
        assert lock(handle)
        os.close(handle)


def test_exclusive_says_once_that_it_waits(tmp_path: Path) -> None:
    file = tmp_path / "lock"
    order: list[str] = []
    handle = open_lock(file)
    assert lock(handle)

    def release() -> None:
        order.append("released")
        os.close(handle)

    def waiting() -> None:
        order.append("waiting")
        Timer(0.1, release).start()

    for name in ("first", "second"):
        with exclusive(file, waiting=waiting):
            order.append(name)
    assert order == ["waiting", "released", "first", "second"]
    free_again = open_lock(file)
    assert lock(free_again)
    os.close(free_again)
