"""Steps of a cursor: one captured operator back or forwards, or all the way."""

from collections.abc import Callable

from .flow import Flow
from .ids import Ids, Position, settled, together
from .places import Place

Step = Callable[[Flow, Position], Position]


def back(flow: Flow, position: Position) -> Position:
    """Return what rows and groups derive from, one operator back; rows of sources stay."""
    stay = {place: ids for place, ids in position.items() if not flow.back(place)}
    parts = [
        part
        for place, ids in position.items()
        for link in flow.back(place)
        for part in link.back(ids)
    ]
    return settled(parts, stay, _few(position))


def forwards(flow: Flow, position: Position) -> Position:
    """Return what derives from rows and groups, one operator on; rows that no write reads stay."""
    stay = {place: ids for place, ids in position.items() if not any(flow.forwards(place))}
    parts = [
        (link.of, frame)
        for place, ids in position.items()
        for link in flow.forwards(place)
        for frame in link.forwards(place, ids)
    ]
    return settled(parts, stay, _few(position))


def _few(position: Position) -> bool:
    """Return whether what follows may be few ids, so that it is worth a Spark job to find out."""
    return all(ids.few is not None for ids in position.values())


def back_all(flow: Flow, position: Position) -> Position:
    """Return the rows of sources that rows and groups derive from, through all writes."""
    return _all(flow, position, lambda place: bool(flow.back(place)), back)


def forwards_all(flow: Flow, position: Position) -> Position:
    """Return the rows that derive from rows and groups, of writes that no other write has read."""
    return _all(flow, position, lambda place: any(flow.forwards(place)), forwards)


def _all(flow: Flow, position: Position, goes_on: Callable[[Place], bool], step: Step) -> Position:
    ends = dict[Place, Ids]()
    while position:
        for place in [place for place in position if not goes_on(place)]:
            ids = position[place]
            ends[place] = together(ends[place], ids, flow.spark) if place in ends else ids
        position = {place: ids for place, ids in position.items() if goes_on(place)}
        if position:
            position = step(flow, position)
    return ends
