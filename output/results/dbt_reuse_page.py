"""The models to build after an edit of a dbt project, as Markdown for a comment on GitHub."""

import html
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from .dbt_reuse import SHOWN, cells, headline, name, others, why

if TYPE_CHECKING:
    from provhouse.workflows.dbt.model_refutation import ExampleRows, ModelExample
    from provhouse.workflows.dbt.reuse_plan import ReusePlan

MARKS = re.compile(r"[|*`\[\]\\~@#!]|(?<!\w)_|_(?!\w)|(?<=_)_")
"""A pattern for characters that have a meaning in Markdown."""
LISTED = 100
"""The maximum number of rows of a table: GitHub refuses comments above 65,536 characters."""


def github_page(plan: "ReusePlan") -> str:
    """Return a plan as Markdown: a table of verdicts, and details that are folded."""
    return "\n".join(_lines(plan)) + "\n"


def _lines(plan: "ReusePlan") -> Iterator[str]:
    yield f"### {_text(headline(plan))}"
    if plan.refused:
        yield ""
        yield _text(f"No model is compared: {plan.refused}")
    if plan.changed:
        verdicts = [
            (name(e.node), e.verdict, "yes" if e.why_built else "no", why(e)) for e in plan.changed
        ]
        yield from _table(("changed", "verdict", "build", "why"), verdicts)
    if plan.readers:
        built = [reader for reader in plan.readers if reader.why_built]
        title = f"{len(plan.readers) - len(built):,} of {len(plan.readers):,} readers need no build"
        listed = [(name(r.node), "yes" if r.why_built else "no", r.why_built) for r in plan.readers]
        yield from _folded(title, _table(("reader", "build", "why"), listed))
    for each in plan.changed:
        if each.example:
            yield from _folded(f"{name(each.node)}: rows that differ", _example(each.example))
    yield from _folded("What is built, and what is assumed", _table(("", ""), list(others(plan))))


def _example(example: "ModelExample") -> Iterator[str]:
    for table, rows in example.tables.items():
        yield from _rows(f"If {table} contains", rows)
    yield from _rows("only the base gives", example.only_base)
    yield from _rows("only the edit gives", example.only_head)


def _rows(title: str, found: "ExampleRows") -> Iterator[str]:
    yield ""
    yield _text(title) if found.rows else f"{_text(title)}: no rows"
    if found.rows:
        yield from _table(found.columns, [cells(row) for row in found.rows], SHOWN)


def _table(
    heads: Sequence[str], rows: Sequence[Sequence[str]], most: int = LISTED
) -> Iterator[str]:
    yield ""
    yield _row(heads)
    yield _row(["---"] * len(heads))
    yield from map(_row, rows[:most])
    if len(rows) > most:
        yield _row([f"and {len(rows) - most:,} more", *[""] * (len(heads) - 1)])


def _row(values: Sequence[str]) -> str:
    return f"| {' | '.join(map(_text, values))} |"


def _folded(title: str, lines: Iterator[str]) -> Iterator[str]:
    yield ""
    yield f"<details><summary>{_text(title)}</summary>"
    yield from lines
    yield ""
    yield "</details>"


def _text(value: str) -> str:
    """Escape text so that it contains no Markdown, HTML or mentions of GitHub users."""
    text = html.escape(" ".join(value.split()), quote=False)
    return MARKS.sub(lambda found: f"&#{ord(found[0])};", text)
