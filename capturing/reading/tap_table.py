"""The taps of a captured write: the operators that merge rows, and the columns of their files."""

from dataclasses import dataclass
from pathlib import Path

from provhouse.model.associations import ROWS


def slot_of_mark(tap: int) -> int:
    """Return the number that represents a tap's marked rows in ``slots``; it is below ``ROWS``."""
    return ROWS - 1 - tap


@dataclass(frozen=True)
class Mark:
    """The table that a program declares for the marked rows of a plan."""

    table: str
    key: tuple[str, ...]
    number: int
    """The number that the ids of the marked rows contain in place of a file number."""


@dataclass(frozen=True)
class TapPart:
    """The rows of a partition that a window function uses, numbered in the window's order.

    If ``last`` is given, it is a column of the tap, and the used rows end with the row whose number
    is the value of this column minus ``less``. ``count`` is then the column with the number of used
    rows, or None if the used rows begin with the partition's first row. If ``last`` is None, the
    used rows begin ``low`` rows and end ``high`` rows after the current row; None means no limit.
    If ``found`` is given, it is a column with the number of a row, and the used rows are those from
    the current row to that row and, if ``last`` is given, up to the last row.
    """

    low: int | None = None
    high: int | None = None
    last: int | None = None
    count: int | None = None
    less: int = 0
    found: int | None = None


@dataclass(frozen=True)
class KeyColumn:
    """A source column by which a tap groups rows, alone or together with other columns."""

    name: str
    type: str
    """The type that determines how Spark hashes the values: ``int``, ``bigint`` or ``string``."""
    flagged: bool = False
    """Whether the hash also includes a flag for NULL."""


@dataclass(frozen=True)
class SourceKey:
    """Source columns that contain the keys of a tap, so that the tap omits the keys."""

    slot: int
    """The position of the tap's slot with the ids of the source rows."""
    columns: tuple[KeyColumn, ...]
    hashed: bool
    """Whether a key is the hash of the columns; otherwise it is the value of the only column."""


@dataclass(frozen=True)
class TapTable:
    """An operator that merges rows, and the columns of its tap."""

    kind: str
    by: str
    """The columns by which groups are formed, as SQL; empty if all rows are one group."""
    sql: str
    slots: tuple[int, ...]
    """For each slot, the number of the tap whose keys it contains, or ``ROWS`` for source rows."""
    proofs: int
    """The number of taps that wrote the keys of all groups, as proof that they are distinct."""
    exactness: str
    checked: bool
    """Whether a second hash follows the key, as proof that each key belongs to only one group."""
    folder: Path
    """The folder with the tap's files. The folders with the proofs are next to this folder."""

    parts: tuple[TapPart, ...] = ()
    """The parts of a partition that a window's rows derive from. The tap is above the window."""
    columns: int = 0
    """The number of columns before the slots that serve ``parts``: the row's number, and counts."""
    of: int | None = None
    """For a tap whose groups are stretches of another tap's rows: the number of that tap."""
    source: SourceKey | None = None
    """The source columns that have the keys, if the tap omits them."""
    mark: Mark | None = None
    """The table of the tap's marked rows, if any; ``proofs`` is then the number of taps."""
    function: str = ""
    """The function of an aggregate: ``sum``, ``count``, ``min``, ``max``, ``avg`` or ``other``."""
    place: str = ""
    """The operator's file and line in the user's program; empty if Spark has not recorded them."""
    compared: str = ""
    """The comparison of a semi join: ``<``, ``<=``, ``>``, ``>=``, ``<>``, or empty.

    A group then has the rows whose value compares in this way with a value of ``asked``, and whose
    key is equal.
    """
    valued: bool = False
    """Whether the last column has each row's value for the aggregate, as the bits of a double.

    Each row then comes from one source row.
    """

    def proof(self, place: int) -> Path:
        """Return the folder where one of the ``proofs`` taps wrote the keys of all groups."""
        return self.folder.with_name(f"{self.folder.name}-keys-{place}")

    @property
    def asked(self) -> Path:
        """The folder with the groups of a semi join: number, key and compared value of each."""
        return self.folder.with_name(f"{self.folder.name}-asked")

    @property
    def is_ordered(self) -> bool:
        """Whether groups are parts of partitions, in the order of the column ``order``."""
        return bool(self.parts or self.compared)

    @property
    def partition(self) -> int:
        """The column with the partition of a row, if groups are parts of partitions."""
        return 0 if self.compared else 1

    @property
    def order(self) -> int:
        """The column by which the rows of a partition are ordered."""
        return self.partition + 1 + self.checked

    @property
    def first_slot(self) -> int:
        """The number of columns before the slots."""
        more = 1 + self.columns if self.columns else bool(self.compared)
        return 1 + self.checked + more

    @property
    def name(self) -> str:
        """A short text for people, such as ``aggregate by cust``."""
        whole = f"of all rows{' of a task' * self.kind.startswith('map')}"
        return f"{self.kind} by {self.by}" if self.by else f"{self.kind} {whole}"

    @property
    def op_kind(self) -> str:
        """The kind of the operation: how the rows of a group act together.

        For a semi join, and for an aggregate that only lists groups, such as ``DISTINCT``, one row
        of the group is enough.
        """
        one = self.kind.startswith("semi join") or (self.kind == "aggregate" and not self.function)
        return "any" if one else "aggregate"
