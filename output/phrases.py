"""Numbers, times and lists of names as parts of sentences."""

from collections.abc import Mapping, Sequence

from provhouse.model.progress import START

from .escape import shown


def counted(number: int, word: str) -> str:
    """Return a number with its noun: 1 item, 2 items."""
    return f"{number:,} {word}" if number == 1 else f"{number:,} {word}s"


def quantity(count: float, unit: str) -> str:
    """Return a number with its unit; bytes as kB, MB or GB with one decimal."""
    if unit == "bytes":
        for larger, power in (("GB", 9), ("MB", 6), ("kB", 3)):
            if count >= 10**power:
                return f"{count / 10**power:.1f} {larger}"
    return f"{count:,.0f} {unit}"


def duration(seconds: float) -> str:
    """Return a duration in milliseconds, seconds or minutes, whichever fits its size."""
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    return f"{seconds:.1f} s" if seconds < 100 else f"{seconds / 60:.1f} min"


def steps(seconds: Mapping[str, float]) -> str:
    """Return the total time, and in parentheses each step that took at least 1% of it.

    The time to start programs is stated separately, and is not part of the total.
    """
    starts = {name: took for name, took in seconds.items() if name.startswith(START)}
    total = seconds.get("total", sum(seconds.values())) - sum(starts.values())
    parts = [f"{name} {duration(value)}" for name, value in seconds.items()
             if name not in ("total", *starts) and value >= total / 100]  # fmt: skip
    took = f"{duration(total)} ({', '.join(parts)})" if parts else duration(total)
    started = [f"{name[len(START) :]} in {duration(value)}" for name, value in starts.items()]
    return f"{took}, after starting {' and '.join(started)}" if started else took


def names_of(names: Sequence[str]) -> str:
    """Return how many names there are, followed by the first few."""
    return f"{len(names):,}: {listed(names, 8)}" if names else "none"


def listed(names: Sequence[str], most: int) -> str:
    """Return the first ``most`` names, and the number of further names."""
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(shown(name, 60) for name in names[:most]) + more
