"""Jars from Maven's central repository; ``jgo`` knows where that is and how it is laid out."""

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import TYPE_CHECKING

from provhouse.model.errors import Unavailable

from .jar_lock import Jar

if TYPE_CHECKING:
    from requests import Session

# Most jars are small: what takes the time is the answer's way, not its size.
THREADS = 8
ATTEMPTS = 3
SECONDS = 20
CHUNK = 1 << 16


def download(jars: Iterable[Jar], scratch: Path) -> Iterator[tuple[Jar, Path]]:
    """Each jar with the file in ``scratch`` it came in, its SHA-256 checked, as they arrive.

    Raises Unavailable where one does not come or is not the one that was locked.
    """
    # Imported late: it costs a command a quarter of a second, and few fetch.
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
        f"The jar {jar.coordinate} should come from Maven's central repository",
        f"It did not, {ATTEMPTS} times ({type(error).__name__})",
        "See that this machine reaches the internet (HTTPS_PROXY names a proxy) and try again; "
        "what came so far is kept",
    )


def _altered(jar: Jar) -> Unavailable:
    return Unavailable(
        f"The jar {jar.coordinate} should have the SHA-256 {jar.sha256}",
        f"What came has another one, {ATTEMPTS} times",
        "Something on the way changes downloads, such as a proxy: try another network",
    )
