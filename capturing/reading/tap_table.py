"""The taps of a captured write: the operators that merge rows, and the columns of their files."""

from dataclasses import dataclass
from pathlib import Path

from provhouse.model.associations import ROWS


def slot_of_mark(tap: int) -> int:
    """Return the number, less than ``ROWS``, that ``slots`` has for the marked rows of a tap."""
    return ROWS - 1 - tap


@dataclass(frozen=True)
class Mark:
    """The table that a program declares for some rows of its plan."""

    table: str
    key: tuple[str, ...]
    number: int
    """The number that the ids of the marked rows have in place of a file number."""


@dataclass(frozen=True)
class TapPart:
    """The rows of a partition that a window function uses, numbered in the window's order.

    With ``last``, the used rows end with the row whose number is the value in this column of the
    tap, minus ``less``. ``count`` is then the column with the number of used rows, or None if they
    begin with the first row of the partition. Without ``last``, the used rows begin ``low`` rows
    and end ``high`` rows after the current row; None means no limit.
    """

    low: int | None = None
    high: int | None = None
    last: int | None = None
    count: int | None = None
    less: int = 0


@dataclass(frozen=True)
class KeyColumn:
    """A source column whose values make the groups of a tap, alone or with other columns."""

    name: str
    type: str
    """The type for which Spark hashes the values: ``int``, ``bigint`` or ``string``."""
    flagged: bool = False
    """Whether the hash also includes a flag for NULL."""


@dataclass(frozen=True)
class SourceKey:
    """Source columns that contain the keys of a tap, so that the tap omits the keys."""

    slot: int
    """The position of the tap's slot that has the ids of the source rows."""
    columns: tuple[KeyColumn, ...]
    hashed: bool
    """Whether a key is the hash of the columns; otherwise it is the value of the only column."""


@dataclass(frozen=True)
class TapTable:
    """An operator that merges rows, and the columns of its tap."""

    kind: str
    by: str
    """The columns that make the groups, as SQL; empty if all rows are one group."""
    sql: str
    slots: tuple[int, ...]
    """For each slot, the number of the tap whose keys it has, or ``ROWS`` for source rows."""
    proofs: int
    """The number of taps that wrote the keys of all groups, to prove that they are distinct."""
    exactness: str
    checked: bool
    """Whether a second hash follows the key, to prove that each key stands for one group."""
    folder: Path
    """The folder of the tap's files. The folders of the proofs are beside this folder."""

    parts: tuple[TapPart, ...] = ()
    """The parts of a partition that a window's rows derive from. The tap is above the window."""
    columns: int = 0
    """The number of columns for ``parts``, before the slots: the row's number, and counts."""
    of: int | None = None
    """The number of the tap whose files this tap reads for the whole partitions of a window."""
    source: SourceKey | None = None
    """The source columns that have the keys, if the tap omits them."""
    mark: Mark | None = None
    """The table of the rows, if they are marked. ``proofs`` is then the number of its taps."""
    function: str = ""
    """The function of an aggregate: ``sum``, ``count``, ``min``, ``max``, ``avg`` or ``other``."""
    place: str = ""
    """The operator's file and line in the user's program; empty if Spark does not know them."""
    valued: bool = False
    """Whether the last column has each row's value for the aggregate, as the bits of a double.

    Each row is then one source row."""

    def proof(self, place: int) -> Path:
        """Return the folder where a tap at one place of the plan wrote the keys of all groups."""
        return self.folder.with_name(f"{self.folder.name}-keys-{place}")

    @property
    def key(self) -> int:
        """The column with the key; in a tap of whole partitions, the column with the partition."""
        return 0 if self.of is None else 1

    @property
    def first_slot(self) -> int:
        """The number of columns before the slots."""
        return 1 + self.checked + (1 + self.columns if self.columns else 0)

    @property
    def name(self) -> str:
        """A short text for people, such as ``aggregate by cust``."""
        whole = f"of all rows{' of a task' * self.kind.startswith('map')}"
        return f"{self.kind} by {self.by}" if self.by else f"{self.kind} {whole}"

    @property
    def op_kind(self) -> str:
        """The kind of the operation: how the rows of a group act together.

        One row is enough for a semi join, and for an aggregate that computes nothing, such as
        ``DISTINCT``.
        """
        one = self.kind.startswith("semi join") or (self.kind == "aggregate" and not self.function)
        return "any" if one else "aggregate"
