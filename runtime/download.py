"""Jars from Maven's central repository, through ``jgo``, which knows where that is."""

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from tempfile import mkdtemp

from provhouse.model.errors import Unavailable

from .locked import Jar

# Most jars are small: what takes the time is the answer's way, not its size.
THREADS = 8
ATTEMPTS = 3


def download(jars: Iterable[Jar], scratch: Path) -> Iterator[tuple[Jar, Path]]:
    """Each jar with the file in ``scratch`` it came in, its SHA-256 checked, as they arrive.

    Raises Unavailable where one does not come or is not the one that was locked.
    """
    pool = ThreadPoolExecutor(THREADS)
    try:
        for future in as_completed([pool.submit(_download, jar, scratch) for jar in jars]):
            yield future.result()
    finally:
        pool.shutdown(cancel_futures=True)


def _download(jar: Jar, scratch: Path) -> tuple[Jar, Path]:
    for attempt in range(ATTEMPTS):
        try:
            file = _attempt(jar, scratch)
        except (OSError, RuntimeError) as error:
            # A full disk has an error number; what the network throws has none.
            if getattr(error, "errno", None) is not None:
                raise
            if attempt == ATTEMPTS - 1:
                raise _absent(jar, error) from error
        else:
            if jar.is_at(file):
                return jar, file
    raise Unavailable(
        f"The jar {jar.coordinate} should have the SHA-256 {jar.sha256}",
        f"What came has another one, {ATTEMPTS} times",
        "Something on the way changes downloads, such as a proxy: try another network",
    )


def _attempt(jar: Jar, scratch: Path) -> Path:
    # Imported late: it costs every command a quarter of a second, and few fetch.
    from jgo.maven import MavenContext

    # A folder of its own for each attempt, since jgo takes what is there for whole; and named, so
    # that the user's own Maven repository is neither read nor written.
    context = MavenContext(repo_cache=Path(mkdtemp(dir=scratch)), timeout=20)
    return context.create_dependency(jar.coordinate).artifact.resolve()


def _absent(jar: Jar, error: Exception) -> Unavailable:
    return Unavailable(
        f"The jar {jar.coordinate} should come from Maven's central repository",
        f"It did not, {ATTEMPTS} times ({type(error).__name__})",
        "See that this machine reaches the internet (HTTPS_PROXY names a proxy), and try again; "
        "what came so far is kept",
    )
