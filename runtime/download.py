"""Download jars from Maven's central repository.

The package ``jgo`` contains the repository's host and layout, so provhouse's own code does not name
a host.
"""

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import TYPE_CHECKING

from provhouse.model.errors import Unavailable

from .jar_lock import Jar

if TYPE_CHECKING:
    from requests import Session

# Most jars are small, so that downloads wait for the network's latency, not its bandwidth.
THREADS = 8
ATTEMPTS = 3
SECONDS = 20
CHUNK = 1 << 16


def download(jars: Iterable[Jar], scratch: Path) -> Iterator[tuple[Jar, Path]]:
    """Download jars to ``scratch`` in parallel; yield each jar and its file once it is verified.

    Raises Unavailable if a jar cannot be downloaded, or differs from the jar that ``jars.lock``
    lists.
    """
    # Imported late: the import takes a quarter of a second, and few commands download.
    from requests import Session

    # One session keeps its connections: jgo's own download opens two for each jar and takes 40 s.
    with Session() as session, ThreadPoolExecutor(THREADS) as pool:
        try:
            tasks = [pool.submit(_download, jar, scratch / jar.sha256, session) for jar in jars]
            for task in as_completed(tasks):
                yield task.result()
        finally:
            pool.shutdown(cancel_futures=True)


def _download(jar: Jar, file: Path, session: "Session") -> tuple[Jar, Path]:
    from requests import RequestException

    for _ in range(ATTEMPTS):
        try:
            _stream(_address(jar), file, session)
        except RequestException as error:
            fault = _absent(jar, error)
        else:
            if jar.is_at(file):
                return jar, file
            fault = _altered(jar)
    raise fault


def _stream(address: str, file: Path, session: "Session") -> None:
    with session.get(address, timeout=SECONDS, stream=True) as answer, file.open("wb") as out:
        answer.raise_for_status()
        for chunk in answer.iter_content(CHUNK):
            out.write(chunk)


def _address(jar: Jar) -> str:
    from jgo.maven import MavenContext

    context = MavenContext()
    artifact = context.create_dependency(jar.coordinate).artifact
    (repository,) = context.remote_repos.values()
    return f"{repository}/{artifact.component.path_prefix.as_posix()}/{artifact.filename}"


def _absent(jar: Jar, error: Exception) -> Unavailable:
    return Unavailable(
        f"Cannot download the jar {jar.coordinate} from Maven's central repository",
        f"{ATTEMPTS} attempts failed ({type(error).__name__})",
        "Check that this machine reaches the internet (HTTPS_PROXY names a proxy), then try again; "
        "the jars downloaded so far are kept",
    )


def _altered(jar: Jar) -> Unavailable:
    return Unavailable(
        f"The downloaded jar {jar.coordinate} does not have the SHA-256 {jar.sha256}",
        f"The checksum was wrong in all {ATTEMPTS} attempts",
        "A proxy or firewall may change downloads: try another network",
    )
