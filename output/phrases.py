"""Numbers, times and names as a person reads them."""

from collections.abc import Mapping, Sequence

from .escape import shown


def counted(number: int, word: str) -> str:
    """A number and its noun: 1 item, 2 items."""
    return f"{number:,} {word}" if number == 1 else f"{number:,} {word}s"


def quantity(count: float, unit: str) -> str:
    """So many bytes or anything else, in three digits or so."""
    if unit == "bytes":
        for larger, power in (("GB", 9), ("MB", 6), ("kB", 3)):
            if count >= 10**power:
                return f"{count / 10**power:.1f} {larger}"
    return f"{count:,.0f} {unit}"


def duration(seconds: float) -> str:
    """A time as a person reads it."""
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    return f"{seconds:.1f} s" if seconds < 100 else f"{seconds / 60:.1f} min"


def steps(seconds: Mapping[str, float]) -> str:
    """The whole time, and the steps that took a noticeable part of it."""
    total = seconds.get("total", sum(seconds.values()))
    parts = [f"{name} {duration(value)}" for name, value in seconds.items()
             if name != "total" and value >= total / 100]  # fmt: skip
    return f"{duration(total)} ({', '.join(parts)})" if parts else duration(total)


def names_of(names: Sequence[str]) -> str:
    """How many names there are, and the first of them."""
    return f"{len(names):,}: {listed(names, 8)}" if names else "none named"


def listed(names: Sequence[str], most: int) -> str:
    """The first names, and how many more there are."""
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(shown(name, 60) for name in names[:most]) + more
