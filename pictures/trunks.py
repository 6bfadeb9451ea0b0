"""Trunks: all lines into one box that have the same op, drawn as one branching line.

An op makes an item from several inputs, so its name is written only once, where the lines from the
inputs meet.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from .picture_graph import ADDED, REMOVED, Line
from .widths import SMALL, breadth, cut

MOST_OPS = 4
"""The maximum number of trunks into one box; the last trunk stands for all other ops."""
MOST_TRUNKS = 40
"""The maximum number of trunks in a picture in which a box may have more than one."""
MOST_LABEL = 150
"""The maximum width of a trunk's text, in pixels."""


@dataclass(frozen=True)
class Trunk:
    """The lines into one box with one op. A ``back`` trunk runs against the order of the layers."""

    target: int
    op: str
    sources: Mapping[int, int]
    """The number of triples from each source box."""
    counts: Mapping[str, int]
    back: bool = False

    @property
    def loops(self) -> bool:
        """Whether the trunk leads from a box to itself."""
        return self.target in self.sources


def label_of(op: str, counts: Mapping[str, int], room: float = MOST_LABEL) -> str:
    """Return the text on a line: the op, which is cut to fit, and the number of triples."""
    number = " ".join(_numbers(counts))
    space = " " if number else ""
    return cut(op, room - breadth(space + number, SMALL), SMALL) + space + number


def _numbers(counts: Mapping[str, int]) -> Iterator[str]:
    if counts.get(ADDED):
        yield f"+{counts[ADDED]:,}"
    if counts.get(REMOVED):
        yield f"\N{MINUS SIGN}{counts[REMOVED]:,}"
    if counts.get("triples", 0) > 1:
        yield f"\N{MULTIPLICATION SIGN}{counts['triples']:,}"


def trunks(lines: Sequence[Line], layer: Sequence[int]) -> list[Trunk]:
    """Return the trunks that the given lines form; ``layer`` is the layer of each box.

    In a picture with many trunks, all lines into a box form one trunk. Lines from a box to itself
    always form one trunk.
    """
    found = list(_trunks(lines, layer, MOST_OPS))
    return found if len(found) <= MOST_TRUNKS else list(_trunks(lines, layer, 1))


def _trunks(lines: Sequence[Line], layer: Sequence[int], most: int) -> Iterator[Trunk]:
    into: dict[tuple[int, str], list[Line]] = {}
    for line in lines:
        into.setdefault((line.target, _sort(line, layer)), []).append(line)
    for (target, sort), mine in sorted(into.items()):
        ops = _named(mine, 1 if sort == "loop" else most)
        for op in dict.fromkeys(ops.values()):
            same = [line for line in mine if ops[line.op] == op]
            yield _trunk(target, op, same, sort == "back")


def _sort(line: Line, layer: Sequence[int]) -> str:
    if line.source == line.target:
        return "loop"
    return "forward" if layer[line.source] < layer[line.target] else "back"


def _named(lines: Sequence[Line], most: int) -> dict[str, str]:
    """Return the name shown for each op: its own, or one common name for all of the rarest ops."""
    sizes: Counter[str] = Counter()
    for line in lines:
        sizes[line.op] += line.triples
    ops = [op for op, _ in sorted(sizes.items(), key=lambda each: (-each[1], each[0]))]
    own = ops if len(ops) <= most else ops[: most - 1]
    rest = f"{len(ops) - len(own):,} {'other ' if own else ''}ops"
    return {op: (op or "(no op)") if op in own else rest for op in ops}


def _trunk(target: int, op: str, lines: Iterable[Line], back: bool) -> Trunk:
    sources: Counter[int] = Counter()
    counts: Counter[str] = Counter()
    for line in lines:
        sources[line.source] += line.triples
        counts.update(line.counts)
    return Trunk(target, op, dict(sources), dict(counts), back)
