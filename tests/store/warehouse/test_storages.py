"""Writers and readers of one warehouse on a real storage: nothing is lost, and no half is seen.

S3 is skipped if Go, which builds its server, is missing.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from helpers.hdfs import hdfs
from helpers.lossy_proxy import lossy_proxy
from helpers.remote_writer import SECONDS, counted
from helpers.s3 import BUCKET, USER, s3
from provhouse.model.progress import Silent
from provhouse.runtime.remote.history import newest
from provhouse.runtime.remote.objects import Objects
from provhouse.runtime.remote.remote_manifest import FILES, MANIFESTS
from provhouse.store.warehouse.at_address import objects_at, opened, up_to_date
from provhouse.store.warehouse.layout import Layout
from provhouse.store.warehouse.locks import locked

pytestmark = [pytest.mark.long, pytest.mark.timeout(1800)]
TESTS = Path(__file__).parent.parent.parent
ENDPOINT = "AWS_ENDPOINT_URL"


class Storage:
    """A storage, and processes that use it from machines with caches of their own."""

    def __init__(self, address: str, folder: Path) -> None:
        self.address, self._folder = address, folder
        self._started: list[subprocess.Popen[str]] = []

    def objects(self) -> Objects:
        return objects_at(self.address)

    def start(
        self, name: str, times: int, *further: str, endpoint: str = ""
    ) -> "subprocess.Popen[str]":
        environment = {**os.environ, "XDG_CACHE_HOME": str(self._folder / name)}
        if endpoint:
            environment[ENDPOINT] = endpoint
        process = subprocess.Popen(
            [sys.executable, "-m", "helpers.remote_writer", self.address, name, str(times),
             *further],
            env={**environment, "PYTHONPATH": str(TESTS)}, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        self._started.append(process)
        return process

    def count(self) -> int:
        """Return the count of a new machine, which has fetched everything."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("XDG_CACHE_HOME", str(self._folder / f"new {time.monotonic_ns()}"))
            with opened(self.objects()) as root:
                with up_to_date(root, Silent()):
                    pass
                return counted(root)

    def close(self) -> None:
        for process in self._started:
            if process.poll() is None:
                process.kill()
            process.communicate()


@pytest.fixture(scope="module", params=["s3", "hdfs"])
def place(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """The address of a storage of each kind."""
    folder = tmp_path_factory.mktemp("storage")
    with ExitStack() as stack:
        if request.param == "hdfs":
            yield stack.enter_context(hdfs(folder / "cluster"))
            return
        patch = stack.enter_context(pytest.MonkeyPatch.context())
        patch.setenv(ENDPOINT, stack.enter_context(s3(folder / "server")))
        for name, value in USER.items():
            patch.setenv(name, value)
        yield f"s3://{BUCKET}"


@pytest.fixture
def storage(place: str, tmp_path: Path) -> Iterator[Storage]:
    opened = Storage(f"{place}/{tmp_path.name}", tmp_path)
    yield opened
    opened.close()


def ended(process: "subprocess.Popen[str]", status: int = 0) -> list[int]:
    """Return what a process printed, after checking its exit status."""
    out, err = process.communicate(timeout=600)
    assert process.returncode == status, err
    return [int(line) for line in out.split()]


def await_stop(process: "subprocess.Popen[str]") -> None:
    until = time.monotonic() + 120
    while Path(f"/proc/{process.pid}/stat").read_text().split()[2] != "T":
        assert process.poll() is None, process.communicate()[1]
        assert time.monotonic() < until
        time.sleep(0.1)


def test_two_racing_writers_lose_nothing_and_readers_see_no_half(storage: Storage) -> None:
    reader = storage.start("reader", 0)
    writers = [storage.start(name, 8) for name in ("a", "b")]
    published = [count for writer in writers for count in ended(writer)]
    assert sorted(published) == [*range(1, 17)]
    seen = ended_reader(reader)
    assert len(seen) > 2
    assert storage.count() == 16


def ended_reader(reader: "subprocess.Popen[str]") -> list[int]:
    out, err = reader.communicate("end\n", timeout=600)
    assert reader.returncode == 0, err
    return [int(line) for line in out.split()]


def test_a_writer_that_slept_too_long_publishes_nothing(storage: Storage) -> None:
    assert ended(storage.start("a", 1)) == [1]
    sleeper = storage.start("sleeper", 1, "stop")
    await_stop(sleeper)
    assert ended(storage.start("b", 2)) == [2, 3]
    os.kill(sleeper.pid, signal.SIGCONT)
    assert ended(sleeper, status=6) == []
    assert storage.count() == 3
    assert not [found for found in storage.objects().listed(FILES) if "sleeper" in found.key]


def test_a_writer_that_slept_shortly_publishes(storage: Storage) -> None:
    sleeper = storage.start("sleeper", 1, "stop")
    await_stop(sleeper)
    other = storage.start("b", 1)
    time.sleep(SECONDS / 8)
    os.kill(sleeper.pid, signal.SIGCONT)
    counts = ended(sleeper) + ended(other)
    assert sorted(counts) == [1, 2]
    assert storage.count() == 2


def test_a_killed_writer_leaves_nothing_behind(storage: Storage) -> None:
    assert ended(storage.start("a", 1)) == [1]
    killed = storage.start("a", 1, "stop")
    await_stop(killed)
    killed.kill()
    killed.wait()
    storage.objects().upload(f"{FILES}{3:012d}/base-1/left", Path(__file__))  # by the killed one
    assert ended(storage.start("a", 1)) == [2]  # on the machine of the killed one
    last = newest(storage.objects())
    assert last
    listed = [*storage.objects().listed(FILES), *storage.objects().listed(MANIFESTS)]
    assert sorted(found.key.split("/", 2)[-1] for found in listed) == [
        last.entry.manifest.split("/")[1], "base-1/a-1", "base-1/a-2", "ids.json",
    ]  # fmt: skip


def test_a_put_that_succeeded_with_an_error_is_published_once(place: str, tmp_path: Path) -> None:
    if not place.startswith("s3:"):
        pytest.skip("The proxy speaks HTTP")
    storage, lost = Storage(f"{place}/{tmp_path.name}", tmp_path), list[str]()

    def loses(method: str, path: str) -> bool:
        if method == "PUT" and "/log/" in path and lost.count(path) < 2:
            lost.append(path)
            return True
        return False

    with lossy_proxy(os.environ[ENDPOINT], loses) as endpoint:
        assert ended(storage.start("a", 3, endpoint=endpoint)) == [1, 2, 3]
    assert len(set(lost)) == 6  # each entry of three leases and three changes
    assert storage.count() == 3
    entries = [found.key for found in storage.objects().listed("log/")]
    assert len(entries) == 6


def test_a_bucket_that_keeps_versions_keeps_none_of_what_was_deleted(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not place.startswith("s3:"):
        pytest.skip("HDFS keeps no versions")
    import boto3

    client = boto3.client("s3", region_name="us-east-1")
    client.create_bucket(Bucket="kept")
    enabled = {"Status": "Enabled"}
    client.put_bucket_versioning(Bucket="kept", VersioningConfiguration=enabled)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with opened(objects_at("s3://kept/house")) as root:
        for text in ("Ann", "..."):
            with locked(Layout(root)):
                (root / "base-1").mkdir(exist_ok=True)
                (root / "base-1" / "names").write_text(text)
            if text == "Ann":
                (found,) = objects_at("s3://kept/house").listed(FILES)
                client.delete_object(Bucket="kept", Key=f"house/{found.key}")  # its version stays
    versions = client.list_object_versions(Bucket="kept", Prefix="house/files/")
    assert "DeleteMarkers" not in versions
    (only,) = versions["Versions"]
    content = client.get_object(Bucket="kept", Key=only["Key"], VersionId=only["VersionId"])
    assert content["Body"].read() == b"..."


def test_hdfs_says_that_a_snapshot_keeps_what_was_deleted(place: str, tmp_path: Path) -> None:
    if not place.startswith("hdfs:"):
        pytest.skip("S3 keeps versions")
    from provhouse.runtime.remote.hdfs import HdfsObjects

    objects = HdfsObjects(f"{place}/{tmp_path.name}/house")
    objects.write("x", b"")
    assert objects.remains() == ""
    above = objects._at(f"/{tmp_path.name}")
    objects._files.allowSnapshot(above)
    objects._files.createSnapshot(above, "monday")
    assert objects.remains() == f"HDFS keeps it in snapshots of /{tmp_path.name}, such as monday"
