"""The items and triples that a what-if question supposes to be deleted."""

from dataclasses import dataclass, fields


@dataclass(frozen=True)
class Deletion:
    """Items and triples that a what-if question supposes not to exist.

    ``items`` are deleted with all triples from them. The other fields select items or triples by a
    common property. Everything that any field names is deleted.
    """

    items: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()
    """Tables whose items are deleted; with ``where``, only the items that match ``where``."""
    where: tuple[tuple[str, str], ...] = ()
    """Attributes. If given, an item of ``tables`` is deleted only if a triple from it has them."""
    ops: tuple[str, ...] = ()
    """Ops whose triples are all deleted."""
    files: tuple[str, ...] = ()
    """Ingested files or folders: triples that no other origin asserts are deleted."""
    runs: tuple[str, ...] = ()
    """Names of runs. Triples that no other origin asserts are deleted."""

    @property
    def named(self) -> dict[str, list[object]]:
        """The fields that are not empty, with their values as lists."""
        return {
            each.name: [list(one) if isinstance(one, tuple) else one for one in given]
            for each in fields(self)
            if (given := getattr(self, each.name))
        }
