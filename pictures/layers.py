"""Layers from left to right: derived boxes are to the right of their sources, except on cycles."""

from collections.abc import Iterable, Sequence


def layers(count: int, pairs: Iterable[tuple[int, int]]) -> list[int]:
    """Return the layer of each of ``count`` boxes; each pair is a source and a box made from it.

    A source is placed as near as possible to the boxes that were made from it.
    """
    following: list[list[int]] = [[] for _ in range(count)]
    for source, target in pairs:
        if source != target:
            following[source].append(target)
    order, back = _visited(following)
    layer = [0] * count
    for source in order:
        for target in following[source]:
            if (source, target) not in back:
                layer[target] = max(layer[target], layer[source] + 1)
    for source in reversed(order):
        if far := [layer[to] for to in following[source] if (source, to) not in back]:
            layer[source] = max(layer[source], min(far) - 1)
    return layer


def _visited(following: Sequence[Sequence[int]]) -> tuple[list[int], set[tuple[int, int]]]:
    """Return the boxes, each before the boxes made from it, and the pairs that close a cycle."""
    state, ended, back = [0] * len(following), [], set()
    for root in range(len(following)):
        if state[root]:
            continue
        state[root] = 1
        stack = [(root, iter(following[root]))]
        while stack:
            box, rest = stack[-1]
            target = next(rest, None)
            if target is None:
                state[box] = 2
                ended.append(box)
                stack.pop()
            elif not state[target]:
                state[target] = 1
                stack.append((target, iter(following[target])))
            elif state[target] == 1:
                back.add((box, target))
    return ended[::-1], back
