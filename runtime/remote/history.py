"""The history of a remote warehouse: numbered entries, of which only the newest one counts.

An entry either takes the lease of the writer or publishes a manifest. Each number is created once,
by a conditional put, so the history is a single sequence on which all machines agree. The number
under which a writer took its lease is its fencing token. A writer publishes under the number after
its own entry. If another writer has taken the lease meanwhile, that number exists, and the late
writer cannot publish, however long it was suspended. Entries are never deleted: a number that
became free again could be created a second time.
"""

import json
from dataclasses import asdict, dataclass
from time import sleep

from provhouse.model.errors import Damaged, Unavailable

from .objects import Objects, Unclear

FOLDER = "log/"
PAUSES = (0.1, 0.5, 2.0, 5.0)
"""The seconds to wait after each attempt whose result the storage does not say."""


@dataclass(frozen=True)
class Entry:
    """One entry of a history."""

    number: int
    token: int
    """The number of the entry with which the writer of this entry took its lease."""
    history: str
    """A random id of the whole history, which tells it from another one at the same address."""
    manifest: str
    """The key of the newest manifest; empty before anything was published."""
    seconds: int
    """The seconds without a sign of life after which the lease ends; 0 if no writer has it."""
    holder: str
    """The machine and process of the writer."""
    since: str
    """The time at which the writer took its lease, by the clock of its machine."""
    attempt: str
    """A random id of the attempt to create this entry."""
    format: int = 1

    @property
    def content(self) -> bytes:
        """The content of the entry's object."""
        return json.dumps(asdict(self)).encode()


@dataclass(frozen=True)
class Newest:
    """The newest entry of a history, and when it was created by the clock of the storage."""

    entry: Entry
    changed: float


def newest(objects: Objects, known: int = 0) -> Newest | None:
    """Return the newest entry, or None if there is no warehouse at the address.

    ``known`` is the number of an earlier entry, before which no entry need be listed.
    """
    last = max(objects.listed(FOLDER, _key(known - 1)), key=lambda found: found.key, default=None)
    if last is None:
        return newest(objects) if known else None
    return Newest(_parsed(objects.read(last.key), last.key), last.changed)


def append(objects: Objects, entry: Entry) -> bool:
    """Create an entry; return False if another writer has created an entry with its number.

    If the storage does not say whether it created the entry, the entry is read. Raises Unavailable
    if the storage does not say that either.
    """
    key = _key(entry.number)
    for pause in PAUSES:
        try:
            if objects.create(key, entry.content):
                return True
        except Unclear:
            pass
        held = _read_anyway(objects, key)
        if held is not None:
            return held == entry.content  # an attempt whose answer was lost may have created it
        sleep(pause)
    raise Unavailable(
        f"It is not known whether {objects.place} has stored this change",
        f"The storage did not answer {len(PAUSES)} attempts to create {key}",
        "List the generations when the storage answers again: the change is there completely, or "
        "not at all",
    )


def check_conditional(objects: Objects) -> None:
    """Raise Unavailable if the storage replaces objects that were to be created.

    Two first writers may check this at once, and then the storage may say that they conflict.
    """
    key, written = "conditional", 0
    for pause in PAUSES:
        try:
            if not objects.create(key, b"Conditional puts never replace this object."):
                return
            written += 1
        except Unclear as error:
            unclear = error
            sleep(pause)
        if written == 2:
            raise Unavailable(
                f"{objects.place} cannot hold a warehouse",
                "The storage ignores If-None-Match: it replaced an object that already existed",
                "Use a storage with conditional puts",
            )
    raise unclear


def _key(number: int) -> str:
    return f"{FOLDER}{max(number, 0):012d}"


def _read_anyway(objects: Objects, key: str) -> bytes | None:
    try:
        return objects.read(key)
    except Unavailable:
        return None


def _parsed(content: bytes | None, key: str) -> Entry:
    try:
        record = json.loads(content or b"")
        if record["format"] > 1:
            raise Unavailable(
                f"The entry {key} was written by a newer provhouse",
                f"It has format {record['format']}; this release reads format 1",
                "Install a newer provhouse; nothing was changed",
            )
        return Entry(**record)
    except (ValueError, TypeError, KeyError) as error:
        raise Damaged(
            f"Cannot read the entry {key} of the warehouse's history", repr(error)
        ) from error
