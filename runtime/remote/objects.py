"""The operations on objects of a storage that a remote warehouse needs."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from provhouse.model.errors import Unavailable


class Unclear(Unavailable):
    """A request failed, and the storage may have carried it out nevertheless."""


@dataclass(frozen=True)
class StoredObject:
    """An object in a listing."""

    key: str
    changed: float
    """The time of its last write, in seconds, by the clock of the storage."""


class Objects(Protocol):
    """The objects below the address of one warehouse. All methods may be called by any thread.

    Errors of the storage are raised as Unavailable.
    """

    @property
    def place(self) -> str:
        """The address and the endpoint, which together differ from those of any other storage."""

    def create(self, key: str, content: bytes) -> bool:
        """Write an object unless one with this key exists; return whether it was written.

        Of all calls with one key, in any process, at most one writes. Raises Unclear if the storage
        does not say whether it has written the object.
        """

    def write(self, key: str, content: bytes) -> None:
        """Write or replace a small object."""

    def upload(self, key: str, file: Path) -> None:
        """Write or replace an object with the content of a file."""

    def read(self, key: str) -> bytes | None:
        """Return the content of a small object, or None if it does not exist."""

    def download(self, key: str, file: Path) -> bool:
        """Write the content of an object to a file; return False if the object does not exist."""

    def listed(self, prefix: str, after: str = "") -> Iterator[StoredObject]:
        """Yield the objects whose keys begin with ``prefix`` and come after ``after``, in order."""

    def delete(self, keys: Iterable[str]) -> None:
        """Delete objects, with all earlier versions of them that the storage keeps."""

    def stored(self, prefix: str) -> Iterator[str]:
        """Yield the keys with a prefix of all objects, and of deleted ones with kept versions."""

    def drop_unfinished(self, token: int) -> None:
        """Delete what killed processes have written of objects that they did not complete.

        What later writers than that with this token have begun stays.
        """

    def close(self) -> None:
        """End connections and processes; the object cannot be used afterwards."""

    def remains(self) -> str:
        """Return a sentence about deleted content that the storage keeps, or an empty string."""
