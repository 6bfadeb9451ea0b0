"""The texts on boxes: names that fit into the boxes and distinguish them."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile

from provhouse.model.visible import visible

from .picture_graph import ADDED, FATES, OTHERS, REMOVED, Box
from .widths import SMALL, TITLE, breadth, broken, cut

_SEPARATORS = "/:."
CHANGES = {ADDED: "added", REMOVED: "removed"}
_FATE_WORDS = {
    "deleted": ("deleted", "deleted"),
    "dies": ("dies", "die"),
    "changed": ("changes", "change"),
    "undecided": ("undecided", "undecided"),
    "survives": ("survives", "survive"),
}


@dataclass(frozen=True)
class Caption:
    """The texts on a box: one or more lines of title, and smaller lines below."""

    title: tuple[str, ...]
    below: tuple[str, ...]


def captions(boxes: Sequence[Box], room: float) -> list[Caption]:
    """Return the caption of each box.

    The name of an asked box is never cut. Other names are cut in the middle to ``room`` pixels. If
    two boxes would then look the same, the part of the names where they differ is shown.
    """
    titles = [visible(_title(box)) for box in boxes]
    below = [tuple(visible(text) for text in _below(box)) for box in boxes]
    shown = _distinct(titles, [box.asked for box in boxes], below, room)
    return [
        Caption(title, tuple(cut(text, room, SMALL) for text in texts))
        for title, texts in zip(shown, below, strict=True)
    ]


def full_name(box: Box) -> str:
    """Return the name of a box with nothing left out, for tooltips and lists."""
    if box.members > 1 or box.kind == "set":
        where = f" of {box.table}" if box.members > 1 and box.table else ""
        return _title(box) + where
    return box.name or "(no name)"


def _title(box: Box) -> str:
    if box.members > 1:
        what = {OTHERS: "other", "item": "item", "invocation": "invocation"}[box.kind]
        return _counted(box.members, what)
    if box.kind == "set":
        return f"set {box.name}"
    return (box.name if box.asked else _without_table(box)) or "(no name)"


def _without_table(box: Box) -> str:
    """Return a name without the table as its prefix, because the box shows the table anyway."""
    rest = box.name.removeprefix(box.table or "")
    ours = box.table and rest != box.name and rest[:1] in _SEPARATORS and rest[1:]
    return rest[1:] if ours else box.name


def _below(box: Box) -> Iterator[str]:
    """Yield the lines below the title: the box's table or kind, size, and what happens to it."""
    if box.kind in ("item", "invocation"):
        yield box.table or box.kind
    elif box.kind in ("table", "module") or (box.items and box.items != box.members):
        named = (box.kind,) if box.kind in ("table", "module") else ()
        counted = (_counted(box.items, "item"),) if box.items else ()
        yield ", ".join((*named, *counted))
    if box.detail:
        yield box.detail
    elif box.counts:
        yield ", ".join(_happens(box))


def _happens(box: Box) -> Iterator[str]:
    counts, alone = box.counts or {}, box.members == 1 and box.kind == "item"
    for name, count in counts.items():
        if alone:
            yield CHANGES.get(name) or _FATE_WORDS[name][0]
        elif name in CHANGES:
            yield f"{count:,} {CHANGES[name]}"
        else:
            yield f"{count:,} {_FATE_WORDS[name][count != 1]}"


def tone(box: Box) -> str:
    """Return what happens to items of a box: the first fate or change with a count, or ''.

    The order is that of ``FATES``, then ``came`` and ``went``. A box with both ``came`` and
    ``went`` is ``changed``.
    """
    counts = box.counts or {}
    if ADDED in counts and REMOVED in counts:
        return "changed"
    return next((name for name in (*FATES, ADDED, REMOVED) if counts.get(name)), "")


def _distinct(
    titles: Sequence[str], whole: Sequence[bool], below: Sequence[object], room: float
) -> list[tuple[str, ...]]:
    shown = [
        broken(title, room * 1.3, TITLE, bold=True)
        if kept
        else (cut(title, room, TITLE, bold=True),)
        for title, kept in zip(titles, whole, strict=True)
    ]
    for again in (_from_the_difference, lambda one, among, room: one):
        for same in _alike(shown, titles, below):
            among = [titles[at] for at in same]
            for at in same:
                if not whole[at]:
                    text = again(titles[at], among, room)
                    shown[at] = broken(text, room, TITLE, bold=True)
    return shown


def _alike(
    shown: Sequence[tuple[str, ...]], titles: Sequence[str], below: Sequence[object]
) -> Iterable[list[int]]:
    """Return, in groups, the positions of boxes that look the same although their names differ."""
    places = defaultdict(list)
    for at, (title, texts) in enumerate(zip(shown, below, strict=True)):
        places[title, texts].append(at)
    return [same for same in places.values() if len({titles[at] for at in same}) > 1]


def _from_the_difference(title: str, among: Sequence[str], room: float) -> str:
    """Return as much of a name as fits, around the part that differs from the names ``among``."""
    begin, after = _common(among), _common([each[::-1] for each in among])
    end = len(title) - min(after, min(map(len, among)) - begin)
    text = _window(title, begin, end)
    if breadth(text, TITLE, bold=True) > room:
        return cut(text, room, TITLE, bold=True)
    for side in range(2 * len(title)):
        wider = (begin - 1, end) if side % 2 == 0 else (begin, end + 1)
        if wider[0] >= 0 and wider[1] <= len(title):
            if breadth(_window(title, *wider), TITLE, bold=True) > room:
                break
            begin, end = wider
    return _window(title, begin, end)


def _common(texts: Sequence[str]) -> int:
    """Return the number of characters that all strings have in common at the beginning."""
    first, last = min(texts), max(texts)
    same = takewhile(lambda pair: pair[0] == pair[1], zip(first, last, strict=False))
    return sum(1 for _ in same)


def _window(title: str, begin: int, end: int) -> str:
    before, after = "…" if begin else "", "…" if end < len(title) else ""
    return f"{before}{title[begin:end]}{after}"


def _counted(number: int, word: str) -> str:
    return f"{number:,} {word}" if number == 1 else f"{number:,} {word}s"
