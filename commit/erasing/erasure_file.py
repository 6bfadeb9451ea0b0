"""Read and write ``erasure.json``, which describes an erasure in progress without any names.

It has the numbers of the items instead. The file exists from before the first change until after
the last, so that the next writer can complete an interrupted erasure.
"""

import json
import secrets
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from hashlib import sha256

from provhouse.model.errors import Damaged
from provhouse.model.fault_points import reach
from provhouse.runtime.files import sync_folder
from provhouse.store.warehouse.json_records import write_record
from provhouse.store.warehouse.layout import Layout
from provhouse.store.warehouse.locks import check_lock


@dataclass(frozen=True)
class Erasure:
    """The items to erase, and whether Neo4j must be rebuilt."""

    items: dict[int, list[int]]
    """The item numbers by base; empty if only rejected rows are being cleared."""
    graph: bool = False
    """Whether Neo4j must be rebuilt, because it has ops that were erased."""
    names: tuple[str, ...] = ()
    """Salted hashes of the names to erase, from which a repeated command recognizes its erasure."""

    def has_name(self, name: str) -> bool:
        """Return whether this name is one of the names to erase."""
        return any(_hashed(name, each.partition(" ")[0]) == each for each in self.names)


def hashed_names(names: Iterable[str]) -> tuple[str, ...]:
    """Return salted hashes of names. Only someone who knows a name can recognize its hash."""
    salt = secrets.token_hex(16)
    return tuple(sorted(_hashed(name, salt) for name in names))


def _hashed(name: str, salt: str) -> str:
    return f"{salt} {sha256((salt + name).encode()).hexdigest()}"


def read_erasure(layout: Layout) -> Erasure | None:
    """Return the erasure in progress, or None; raise Damaged if the file cannot be read."""
    try:
        record = json.loads(layout.erasure.read_text(encoding="utf-8"))
        items = {int(base): [int(n) for n in numbers] for base, numbers in record["items"].items()}
        return Erasure(items, bool(record["graph"]), tuple(record.get("names", ())))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise Damaged(
            f"Cannot read the erasure in progress from {layout.erasure}",
            f"Reading it fails with {error!r}",
            "Run `provhouse check --repair`, then `provhouse forget` again for names that are "
            "still stored",
        ) from error


def write_erasure(layout: Layout, erasure: Erasure) -> None:
    """Write the erasure in progress; raise Busy if another writer has taken the lock."""
    record = asdict(erasure)
    if not erasure.names:
        del record["names"]
    write_record(layout, layout.erasure, record, lambda: reach("erasure aside"))
    reach("erasure written")


def end_erasure(layout: Layout) -> None:
    """Remove ``erasure.json``, since the erasure is complete."""
    check_lock(layout)
    layout.erasure.unlink()
    sync_folder(layout.root)
