"""A storage in memory whose answers can be lost, as those of a real one are."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from threading import Lock

from provhouse.runtime.remote.objects import StoredObject, Unclear


class MemoryObjects:
    """Objects in memory. ``clock`` is the time of the storage."""

    def __init__(self, *, conditional: bool = True) -> None:
        self.held: dict[str, tuple[bytes, float]] = {}
        self.clock = 0.0
        self.lost: Callable[[str], str] = lambda key: ""
        """The fate of a create of a key: ``before`` and ``after`` lose the request and the
        answer."""
        self._conditional = conditional
        self._lock = Lock()

    @property
    def place(self) -> str:
        """A name for messages."""
        return "memory"

    def create(self, key: str, content: bytes) -> bool:
        """Write an object unless one with this key exists, or lose the request or the answer."""
        lost = self.lost(key)
        if lost == "before":
            raise Unclear("the request was lost")
        with self._lock:
            created = key not in self.held or not self._conditional
            if created:
                self.held[key] = content, self.clock
        if lost == "after":
            raise Unclear("the answer was lost")
        return created

    def write(self, key: str, content: bytes) -> None:
        """Write or replace an object."""
        self.held[key] = content, self.clock

    def upload(self, key: str, file: Path) -> None:
        """Write or replace an object with the content of a file."""
        self.write(key, file.read_bytes())

    def read(self, key: str) -> bytes | None:
        """Return the content of an object."""
        return self.held[key][0] if key in self.held else None

    def download(self, key: str, file: Path) -> bool:
        """Write the content of an object to a file."""
        content = self.read(key)
        if content is not None:
            file.write_bytes(content)
        return content is not None

    def listed(self, prefix: str, after: str = "") -> Iterator[StoredObject]:
        """Yield objects in the order of their keys."""
        for key, (_, changed) in sorted(self.held.items()):
            if key.startswith(prefix) and key > after:
                yield StoredObject(key, changed)

    def delete(self, keys: Iterable[str]) -> None:
        """Delete objects."""
        for key in list(keys):
            self.held.pop(key, None)

    def stored(self, prefix: str) -> Iterator[str]:
        """Yield the keys of objects: no versions are kept."""
        return (found.key for found in self.listed(prefix))

    def drop_unfinished(self, token: int) -> None:
        """Do nothing: every object is complete."""

    def close(self) -> None:
        """Do nothing: tests use the objects again."""

    def remains(self) -> str:
        """Return an empty string: nothing remains."""
        return ""
