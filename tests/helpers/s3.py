"""A real S3 server on this machine: SeaweedFS, which is built from its Go module."""

import json
import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic, sleep
from urllib.error import URLError
from urllib.request import urlopen

import pytest
from pyarrow.fs import FileType, S3FileSystem

from provhouse.runtime.files import exclusive
from provhouse.runtime.jars import cache_folder

BUCKET = "shop"
USER = {"AWS_ACCESS_KEY_ID": "clerk", "AWS_SECRET_ACCESS_KEY": "a secret of the shop"}
_MODULE = "github.com/seaweedfs/seaweedfs@v0.0.0-20261109003541-7506e5f91cd6"
_SUM = "h1:LOYZFToHq9F7pSR6lkPGfkM8RmHlVFrzndKdhmNZjrU="


@contextmanager
def s3(folder: Path, patience: float = 300) -> Iterator[str]:
    """Run an S3 server with the bucket ``shop``, and yield its endpoint; skip without Go."""
    program = _built()
    folder.mkdir()
    services = ("s3", "master", "volume", "filer")
    names = [f"{service}.port{kind}" for service in services for kind in ("", ".grpc")]
    ports = dict(zip(names, _free_ports(len(names)), strict=True))
    given = [f"-{name}={port}" for name, port in ports.items()]
    given += ["-s3.port.iceberg=0", "-s3.port.lance=0", "-webdav=false", "-admin.ui=false"]
    given += ["-ip=127.0.0.1", "-ip.bind=127.0.0.1", f"-dir={folder}", f"-bucket={BUCKET}"]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [program, "mini", "-master.telemetry=false", *given],
            stdout=log, stderr=log, cwd=folder, env={**os.environ, **USER, "HOME": str(folder)},
        )  # fmt: skip
    endpoint = f"http://127.0.0.1:{ports['s3.port']}"
    try:
        late = monotonic() + patience
        while not _answers(endpoint):
            assert process.poll() is None, (folder / "log").read_text()
            assert monotonic() < late, "the S3 server did not start"
            sleep(0.2)
        yield endpoint
    finally:
        process.kill()
        process.wait()


def bucket(endpoint: str) -> S3FileSystem:
    """Return Arrow's client of a server, to look at its files without Hadoop."""
    user, secret = USER.values()
    return S3FileSystem(
        access_key=user, secret_key=secret, endpoint_override=endpoint, region="us-east-1"
    )


def settings(endpoint: str, folder: Path) -> Path:
    """Write Hadoop's settings for a server to ``core-site.xml`` in a folder; return the folder."""
    given = {"fs.s3a.endpoint": endpoint, "fs.s3a.path.style.access": "true"}
    properties = "".join(
        f"<property><name>{name}</name><value>{value}</value></property>"
        for name, value in given.items()
    )
    folder.mkdir()
    (folder / "core-site.xml").write_text(f"<configuration>{properties}</configuration>\n")
    return folder


def _answers(endpoint: str) -> bool:
    """Return whether the server answers and its bucket exists."""
    try:
        urlopen(f"{endpoint}/status", timeout=5).close()
        return bool(bucket(endpoint).get_file_info(BUCKET).type == FileType.Directory)
    except (URLError, OSError):
        return False


def _free_ports(number: int) -> list[int]:
    """Return ports that are free and differ from each other."""
    with ExitStack() as sockets:
        found = [
            sockets.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(number)
        ]
        return [each.getsockname()[1] for each in found]


def _built() -> Path:
    """Return the program, which is built once for all installations of a user."""
    folder = cache_folder() / _MODULE.rpartition("/")[2]
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / "weed"
    with exclusive(folder / "lock", mode=0o644, waiting=lambda: None):
        if not program.exists():
            if not shutil.which("go"):
                pytest.skip("The S3 server SeaweedFS is not built, since Go is not installed")
            _build(program)
    return program


def _build(program: Path) -> None:
    got = subprocess.run(
        ["go", "mod", "download", "-json", _MODULE], check=True, stdout=subprocess.PIPE
    )
    module = json.loads(got.stdout)
    assert module["Sum"] == _SUM
    with TemporaryDirectory(dir=program.parent) as aside:
        made = Path(aside) / program.name
        small = ["-p", "1", "-ldflags", "-s -w"]  # one compiler at a time, and no debug information
        subprocess.run(["go", "build", *small, "-o", made, "./weed"], check=True, cwd=module["Dir"])
        made.rename(program)
