"""What a check found as a person reads it: what was looked at, then each damage and its remedy."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.text import Text

from .escape import shown
from .table import lasted

if TYPE_CHECKING:
    from provhouse.care.report import Report


def sections(report: "Report") -> Iterator[Text]:
    """A headline, what was looked at, and a paragraph for each damage."""
    number = len(report.damages)
    told = "is whole" if not number else f"has {number:,} damage{'s' if number > 1 else ''}"
    which = "The warehouse" if report.generation is None else f"Generation {report.generation}"
    yield Text(f"{which} {told}.", "bold" if not number else "bold red")
    counts = ", ".join(f"{count:,} {name}" for name, count in report.looked_at.items())
    depth = "" if report.deep else " --deep reads every triple and every name besides."
    yield Text(f"Looked at {counts} in {lasted(report.seconds)}.{depth}", "dim")
    for damage in report.damages:
        yield Text(f"\n{damage.where}", "bold")
        sentences = (damage.wanted, damage.found, damage.remedy)
        yield Text("\n".join(f"{shown(sentence)}." for sentence in sentences))
