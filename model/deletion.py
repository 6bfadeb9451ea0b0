"""The items and triples that a what-if question supposes to be deleted."""

from dataclasses import dataclass, fields


@dataclass(frozen=True)
class Deletion:
    """Items and triples that a what-if question supposes not to exist.

    ``items`` are deleted with all triples from them. The other fields name items or triples by what
    they have in common; what any field names is deleted.
    """

    items: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()
    """Tables, of which all items are deleted; with ``where``, those that match it."""
    where: tuple[tuple[str, str], ...] = ()
    """Attributes: of the items of ``tables``, only those with such a triple from them count."""
    ops: tuple[str, ...] = ()
    """Ops, of which all triples are deleted."""
    files: tuple[str, ...] = ()
    """Ingested files or folders: deleted are the triples that nothing else has brought."""
    runs: tuple[str, ...] = ()
    """Names of runs, whose triples are deleted as those of ``files`` are."""

    @property
    def named(self) -> dict[str, list[object]]:
        """The fields that name something, as lists."""
        return {
            each.name: [list(one) if isinstance(one, tuple) else one for one in given]
            for each in fields(self)
            if (given := getattr(self, each.name))
        }
