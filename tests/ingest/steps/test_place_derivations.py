"""Rows form the documented derivations, regardless of the order of rows and of labels."""

from collections import Counter, defaultdict
from random import Random

import numpy as np
import pyarrow as pa
import pytest

from helpers.derivations import Content, Derivation, Row, derivations, random_rows
from provhouse.ingest.steps.place_derivations import NO_WAYS, NextWays, same_contents, ways
from provhouse.ingest.steps.place_duplicates import distinct
from provhouse.ingest.steps.read_derivations import with_descriptions
from provhouse.model.arrays import I64
from provhouse.model.derivations import KINDS, ROLES

_KINDS = {code: kind for kind, code in KINDS.items()} | {None: ""}
_ROLES = {code: role for role, code in ROLES.items()} | {None: ""}


def staged(rows: list[Row]) -> pa.Table:
    """Return the rows in the form in which an ingest searches them for duplicates."""
    texts = ("derivation", "op_kind", "value", "times", "role", "invocation")
    columns = {
        name: pa.array(
            [None if (v := getattr(r, name)) is None else str(v) for r in rows], pa.string()
        )
        for name in texts
    }
    found, wrong = with_descriptions(pa.table(columns))
    assert wrong is None
    ends = {end: [int(getattr(row, end)[1:]) for row in rows] for end in ("src", "dst")}
    more = {"op": [r.op for r in rows], "attributes": [r.by for r in rows]}
    origin = pa.array([0] * len(rows), pa.int32())
    parts = {name: found[name] for name in found.column_names}
    return pa.table({**ends, **more, **parts, "origin": origin})


def found_in(rows: pa.Table, derivation: I64) -> Counter[Derivation]:
    groups: defaultdict[tuple[object, ...], list[Content]] = defaultdict(list)
    for at, (row, number) in enumerate(zip(rows.to_pylist(), derivation.tolist(), strict=True)):
        key = ("alone", at) if number < 0 else ("way", number)
        content = Row(
            f"i{row['src']}", "", row["op"], row["attributes"], "", "", row["value"],
            row["times"] or 1, _ROLES[row["role"]],
        ).content  # fmt: skip
        groups[f"i{row['dst']}", _KINDS[row["kind"]], *key].append(content)
    assert all(len(set(contents)) == len(contents) for contents in groups.values())
    return Counter(
        Derivation(str(dst), str(kind), frozenset(contents), form == "alone")
        for (dst, kind, form, *_), contents in groups.items()
    )


@pytest.mark.parametrize("seed", range(20))
def test_random_rows_form_the_expected_derivations(seed: int) -> None:
    rows = random_rows(seed)
    Random(seed).shuffle(rows)
    found = distinct(staged(rows))
    assert found_in(found.rows, found.derivations) == derivations(rows)


def test_a_derivation_has_the_invocation_of_one_of_its_repeats() -> None:
    """Equal derivations of two invocations are stored as either of the two, never as a mixture."""
    one, other = (
        [Row(src, "i9", "sum", op_kind="all", invocation=call) for src in srcs]
        for call, srcs in (("p", ("i1", "i2")), ("q", ("i2", "i1")))
    )
    for rows in ([*one, *other], [one[0], *other, one[1]]):
        found = distinct(staged(rows)).rows
        assert found.num_rows == 2
        assert len(set(found["invocation"].to_pylist())) == 1


def test_ways_are_counted_for_each_dst() -> None:
    dst, derivation = np.array([1, 1, 2, 2, 2, 5]), np.array([4, 3, 3, -1, 2, 7])
    assert ways(dst, derivation, NO_WAYS).tolist() == [0, 1, 0, -1, 1, 0]
    after = NextWays(np.array([2]), np.array([10]))
    assert ways(dst, derivation, after).tolist() == [0, 1, 10, -1, 11, 0]


def test_many_alternatives_of_one_dst_are_different_derivations() -> None:
    """One dst has more alternatives than a signed 16-bit number can count, each of them twice."""
    count = 40_000
    pairs = np.stack(np.divmod(np.arange(count), 200), axis=1)
    content = np.concatenate([pairs[:, 0], 1000 + pairs[:, 1]] * 2)
    group = np.concatenate([np.arange(count)] * 2 + [np.arange(count, 2 * count)] * 2)
    same = same_contents(group, content)
    assert len(np.unique(same)) == count
    assert (same[: 2 * count] == same[2 * count :]).all()
    number = ways(np.zeros(len(same), np.int64), same, NO_WAYS)
    assert (number.min(), number.max()) == (0, count - 1)
