"""Move a cursor back or forwards: by one captured operator, or to the end."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain

from provhouse.model.arrays import I64

from .cursor_ids import CursorIds, Found, Position, settled, together
from .cursor_places import CursorPlace
from .flow import CapturedFlow

Step = Callable[[CapturedFlow, Position], Position]
Scan = Callable[[], Found | None]


def back(flow: CapturedFlow, position: Position) -> Position:
    """Return the position one operator back: the ids that rows and groups derive from.

    Source rows are kept in the position.
    """
    stay = {place: ids for place, ids in position.items() if not flow.back(place)}
    leads = [(link, ids) for place, ids in position.items() for link in flow.back(place)]
    parts = [part for link, ids in leads for part in link.back(ids)]

    def scan() -> Found | None:
        return _chained([link.scan_back(_held(ids)) for link, ids in leads])

    return settled(parts, stay, flow.spark, _few(position), _if_held(position, scan))


def forwards(flow: CapturedFlow, position: Position) -> Position:
    """Return the position one operator forwards: the ids derived from rows and groups.

    Rows from which nothing derives are kept in the position.
    """
    stay = {place: ids for place, ids in position.items() if not any(flow.forwards(place))}
    leads = [(link, place, ids) for place, ids in position.items() for link in flow.forwards(place)]
    parts = [(link.of, partial(link.forwards, place, ids)) for link, place, ids in leads]

    def scan() -> Found | None:
        return _chained(
            [_at(link.of, link.scan_forwards(place, _held(ids))) for link, place, ids in leads]
        )

    return settled(parts, stay, flow.spark, _few(position), _if_held(position, scan))


def _few(position: Position) -> bool:
    """Return whether the next position may have few ids, so that a Spark job should count them."""
    return all(ids.few is not None for ids in position.values())


def _if_held(position: Position, scan: Scan) -> Scan:
    """Return ``scan`` if all ids are in memory, otherwise a scan that leaves the work to Spark."""
    return scan if all(ids.held is not None for ids in position.values()) else lambda: None


def _held(ids: CursorIds) -> I64:
    assert ids.held is not None
    return ids.held


def _at(place: CursorPlace, found: Iterator[I64] | None) -> Found | None:
    return None if found is None else ((place, ids) for ids in found)


def _chained(scans: Sequence[Found | None]) -> Found | None:
    """Return the ids of all scans, or None if one of the scans needs Spark."""
    found = [scan for scan in scans if scan is not None]
    return chain.from_iterable(found) if len(found) == len(scans) else None


def back_all(flow: CapturedFlow, position: Position) -> Position:
    """Return the source rows that rows and groups derive from, through all writes."""
    return _all(flow, position, lambda place: bool(flow.back(place)), back)


def forwards_all(flow: CapturedFlow, position: Position) -> Position:
    """Return the final rows that derive from rows and groups, through all writes."""
    return _all(flow, position, lambda place: any(flow.forwards(place)), forwards)


def _all(
    flow: CapturedFlow, position: Position, goes_on: Callable[[CursorPlace], bool], step: Step
) -> Position:
    ends = dict[CursorPlace, CursorIds]()
    while position:
        for place in [place for place in position if not goes_on(place)]:
            ids = position[place]
            ends[place] = together(ends[place], ids, flow.spark) if place in ends else ids
        position = {place: ids for place, ids in position.items() if goes_on(place)}
        if position:
            position = step(flow, position)
    return ends
