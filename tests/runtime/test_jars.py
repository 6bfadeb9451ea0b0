"""Missing and altered jars are downloaded. Only one process downloads them at a time."""

import fcntl
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Event

import pytest

from provhouse.model.errors import Unavailable
from provhouse.model.progress import Silent
from provhouse.runtime.jar_lock import Group, locked
from provhouse.runtime.jars import GROUPS, Jar, fetch, jar_folder, missing

SMALL = min(locked("delta"), key=lambda jar: jar.size)
DELTA: tuple[Group] = ("delta",)


@pytest.fixture(scope="module")
def complete() -> None:
    """Fetch the jars that are missing from the cache that all tests share."""
    fetch(Silent())


@pytest.fixture
def small(complete: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the path of the smallest Delta jar, in a copy of the cache for one test.

    The other group of jars is 140 MB in size, so most tests fetch only this jar.
    """
    folders = [jar_folder(group) for group in GROUPS]
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    for folder in folders:
        shutil.copytree(folder, tmp_path / "provhouse" / "jars" / folder.name, copy_function=_link)
    return jar_folder("delta") / SMALL.name


def _link(source: str, target: str) -> None:
    """Link a jar.

    A link is as safe as a copy, because jars are replaced and never modified in place.
    """
    try:
        os.link(source, target)
    except OSError:  # the folder of the test is on another file system
        shutil.copyfile(source, target)


def replace(file: Path, content: bytes) -> None:
    """Replace the content of a jar without writing through its link."""
    file.unlink()
    file.write_bytes(content)


class Steps(Silent):
    """A progress that records the steps and the counts that are reported."""

    def __init__(self) -> None:
        self.steps: list[str] = []
        self.done: list[tuple[int, int]] = []
        self.waiting = Event()

    def begin(self, step: str) -> None:
        self.steps.append(step)

    def advance(self, done: int, total: int, unit: str = "") -> None:
        self.done.append((done, total))

    def say(self, sentence: str) -> None:
        self.waiting.set()


def test_a_folder_contains_exactly_the_locked_jars(small: Path) -> None:
    for group in GROUPS:
        assert sorted(os.listdir(jar_folder(group))) == sorted(j.name for j in locked(group))


def test_complete_jars_are_not_fetched_again(small: Path) -> None:
    progress = Steps()
    fetch(progress)
    assert progress.steps == []


@pytest.mark.parametrize("content", [b"", b"half a jar"])
def test_a_jar_of_the_wrong_size_is_fetched_again(small: Path, content: bytes) -> None:
    replace(small, content)
    with pytest.raises(Unavailable, match=SMALL.name):
        jar_folder("delta")
    assert missing() == [SMALL]
    progress = Steps()
    fetch(progress, DELTA)
    assert (progress.steps, progress.done) == (["fetch jars"], [(SMALL.size, SMALL.size)])
    assert SMALL.is_at(small)
    assert missing() == []


def test_an_altered_jar_of_the_right_size_is_fetched_again(small: Path) -> None:
    altered = bytearray(small.read_bytes())
    altered[SMALL.size // 2] ^= 1
    replace(small, bytes(altered))
    fetch(Silent(), DELTA)
    assert SMALL.is_at(small)


def flip(file: Path) -> None:
    """Flip one bit in the middle of a jar, but keep the jar's modification time."""
    before = file.stat()
    altered = bytearray(file.read_bytes())
    altered[len(altered) // 2] ^= 1
    replace(file, bytes(altered))
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))


@pytest.mark.parametrize("checked", [False, True])
def test_a_jar_with_one_flipped_bit_does_not_run(small: Path, checked: bool) -> None:
    if checked:
        jar_folder("delta")
    flip(small)
    with pytest.raises(Unavailable, match=SMALL.name):
        jar_folder("delta")
    with pytest.raises(Unavailable, match=SMALL.name):  # the result of a failed check is not stored
        jar_folder("delta")
    fetch(Silent(), DELTA)
    jar_folder("delta")


def test_jars_that_did_not_change_are_read_once(
    small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    jar_folder("delta")
    monkeypatch.setattr(Jar, "is_at", lambda jar, file: pytest.fail(f"{jar.name} is read again"))
    assert jar_folder("delta") == small.parent


def test_a_damaged_record_of_checks_is_not_believed(small: Path) -> None:
    small.parent.with_name(f"{small.parent.name}.checked").write_bytes(b"\xff\nwrong")
    flip(small)
    with pytest.raises(Unavailable, match=SMALL.name):
        jar_folder("delta")


@pytest.mark.long
def test_doctor_names_an_altered_jar(small: Path, tmp_path: Path) -> None:
    flip(small)
    command = [
        sys.executable,
        "-c",
        "from provhouse.cli.app import main; main()",
        "--warehouse",
        "w",
    ]
    done = subprocess.run([*command, "doctor"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 5
    assert SMALL.name in done.stdout


def test_a_missing_jar_is_fetched(small: Path) -> None:
    small.unlink()
    fetch(Silent(), DELTA)
    assert SMALL.is_at(jar_folder("delta") / SMALL.name)


def test_an_unexpected_file_is_removed(small: Path) -> None:
    stranger = small.with_name("stranger.jar")
    stranger.touch()
    with pytest.raises(Unavailable, match=r"stranger\.jar"):
        jar_folder("delta")
    fetch(Silent(), DELTA)
    assert not stranger.exists()
    jar_folder("delta")


def test_the_folder_of_a_killed_fetch_is_removed(small: Path) -> None:
    left = small.parent.parent / "part-left"
    left.mkdir()
    small.unlink()
    fetch(Silent(), DELTA)
    assert not left.exists()


@contextmanager
def fetching(small: Path) -> Iterator[None]:
    """Hold the lock of the jars, as another process does while it downloads jars."""
    with (small.parent.parent / "lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def test_a_second_fetch_waits_and_says_so(small: Path) -> None:
    jar = small.read_bytes()
    small.unlink()
    progress = Steps()
    with ThreadPoolExecutor() as pool:
        with fetching(small):
            task = pool.submit(fetch, progress, DELTA)
            assert progress.waiting.wait(30)
            small.write_bytes(jar)
        task.result(30)
    assert progress.steps == []  # the other process has already fetched the jar


@pytest.mark.long
def test_two_processes_can_fetch_at_once(small: Path) -> None:
    small.unlink()
    script = (
        "from provhouse.model.progress import Silent; from provhouse.runtime.jars import fetch;"
        "fetch(Silent(), ('delta',))"
    )
    both = [subprocess.Popen([sys.executable, "-c", script]) for _ in range(2)]
    assert [process.wait(60) for process in both] == [0, 0]
    assert SMALL.is_at(small)


def test_a_missing_network_is_reported(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small.unlink()
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")  # no server runs on this port
    monkeypatch.setenv("NO_PROXY", "")
    monkeypatch.setenv("no_proxy", "")
    with pytest.raises(Unavailable) as error:
        fetch(Silent(), DELTA)
    assert SMALL.coordinate in error.value.wanted
    assert "reaches the internet" in error.value.remedy
    assert missing() == [SMALL]


def test_a_jar_with_another_checksum_is_refused(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Jar("delta", SMALL.coordinate, SMALL.size, "0" * 64)
    monkeypatch.setattr("provhouse.runtime.jars.locked", lambda group: (other,))
    with pytest.raises(Unavailable, match="The checksum was wrong"):
        fetch(Silent(), DELTA)


def test_a_cache_that_cannot_be_written_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "file"
    file.touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(file))
    with pytest.raises(Unavailable, match="Cannot store the jars"):
        fetch(Silent())
    with pytest.raises(Unavailable, match="provhouse doctor --fetch"):
        jar_folder("neo4j")
