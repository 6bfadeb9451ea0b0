"""The result of checking a warehouse for damage."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from ..escape import shown
from ..phrases import counted, duration
from ..sections import Section, styled
from ..shown_result import Csv, Json, ShownResult

if TYPE_CHECKING:
    from provhouse.care.damage_report import Report


@dataclass(frozen=True)
class CheckResult(ShownResult):
    """The report of a check: each damage with its remedy."""

    report: "Report"

    def text(self, timing: bool = False) -> Iterator[Section]:
        """Yield a headline, the counts of checked objects, and a paragraph for each damage."""
        report = self.report
        yield styled(_headline(report), "bold red" if report.damages else "bold")
        counts = ", ".join(f"{count:,} {name}" for name, count in report.looked_at.items())
        depth = "" if report.deep else " --deep also reads every triple and every name."
        yield styled(f"Checked {counts} in {duration(report.seconds)}.{depth}", "dim")
        for damage in report.damages:
            yield styled(f"\n{damage.where}", "bold")
            sentences = (damage.wanted, damage.found, damage.remedy)
            yield styled("\n".join(f"{shown(sentence)}." for sentence in sentences))

    def json(self) -> Iterator[Json]:
        """Yield one object, as ``schemas/check.json`` describes it."""
        yield {**asdict(self.report), "seconds": round(self.report.seconds, 6)}

    def csv(self) -> Csv:
        """Return a row for each damage."""
        columns = ("where", "wanted", "found", "remedy")
        return columns, (tuple(asdict(damage).values()) for damage in self.report.damages)


def _headline(report: "Report") -> str:
    which = "The warehouse" if report.generation is None else f"Generation {report.generation}"
    if not report.damages:
        return f"{which} is intact."
    return f"{which} is damaged in {counted(len(report.damages), 'place')}."
