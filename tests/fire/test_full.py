"""The warehouse and Neo4j survive full file systems (``make test-long``; needs root)."""

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from helpers.cuts import kill_neo4j
from helpers.fire import Fire
from helpers.warm import Warm
from provhouse.cypher import server
from provhouse.model.progress import Silent

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a file system"),
]


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Callable[[str], Path]]:
    """A function that mounts a small file system of a given size."""
    made: list[Path] = []

    def make(size: str) -> Path:
        folder = tmp_path / f"disk {len(made)}"
        folder.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "none", folder], check=True)
        made.append(folder)
        return folder

    yield make
    for folder in made:
        subprocess.run(["umount", "--lazy", folder], check=True)


def fill(disk: Path, left: int) -> Path:
    """Fill a file system up to ``left`` free bytes, and return the file that fills it."""
    free = os.statvfs(disk).f_bavail * os.statvfs(disk).f_frsize
    file = disk / "filler"
    with file.open("wb") as out:
        os.posix_fallocate(out.fileno(), 0, free - left)
    return file


def test_a_full_disk_of_the_warehouse_is_survived(
    disk: Callable[[str], Path], warm: Warm, graph_home: Path, tmp_path: Path
) -> None:
    """If the warehouse's disk becomes full, the error is clear and no file is half-written.

    As soon as there is space again, commands succeed.
    """
    folder = disk("24m")
    fire = Fire(folder / "warehouse", graph_home, warm, 2, beside=tmp_path)
    fire.grow()
    failed = 0
    for left in (0, 4096, *(2**k << 10 for k in range(4, 9))):
        before = fire.generations()
        for kind in ("ingest", "compact"):
            command, after = fire.change(kind)
            filler = fill(folder, left)
            done = fire.start(*command).awaits().done
            assert done.status in (0, 5), done
            if done.status:
                assert "No space left on device" in done.message
                assert fire.generations() == before
                failed += 1
            else:
                fire.states, before = after, fire.generations()
            assert not (fire.warehouse / "staging").exists()
            fire.assert_answers("lineage")
            filler.unlink()
        fire.ingest()
        fire.assert_whole()
    assert failed >= 6


def test_a_full_disk_of_neo4j_is_survived(
    disk: Callable[[str], Path], warm: Warm, tmp_path: Path
) -> None:
    """If the disk of Neo4j is full, an ingest fails with status 5.

    With more space, Neo4j works again after a restart.
    """
    folder = disk("900m")
    home = folder / "neo4j"
    server.up(home, "512m", Silent())
    try:
        fire = Fire(tmp_path / "house" / "warehouse", home, warm, seed=3)
        fire.grow()
        before = fire.generations()
        filler = fill(folder, 0)
        for _ in range(40):
            command, after = fire.change("ingest")
            done = fire.start(*command).awaits().done
            if done.status:
                break
            fire.states, before = after, fire.generations()
        assert done.status == 5, done
        assert fire.generations() == before
        filler.unlink()
        kill_neo4j(home)
        fire.assert_answers("lineage")
        fire.ingest()
        fire.assert_whole()
    finally:
        kill_neo4j(home)
