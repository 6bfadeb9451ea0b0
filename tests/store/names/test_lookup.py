"""A look-up finds the items of hashes as a dictionary of all hashes does."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from provhouse.model.arrays import I64, U64
from provhouse.store.names import lookup as module
from provhouse.store.names.lookup import Lookup, lookup_file, read_lookup, write_lookup

SHARED = np.uint64(0xABCD_EF01_2345_0000)
"""The first bits of hashes that share a bucket and a mark."""


def written(folder: Path, hashed: U64, offsets: I64) -> Lookup:
    """Write a look-up in parts of different sizes, each in random order, and open it."""
    order = np.argsort(hashed, kind="stable")
    hashed, offsets = hashed[order], offsets[order].astype(np.uint32)

    def parts() -> Iterator[tuple[U64, I64]]:
        yield hashed[:0], offsets[:0]
        for part in np.array_split(np.arange(len(hashed)), 3):
            mixed = np.random.default_rng(1).permutation(part)
            yield hashed[mixed], offsets[mixed]

    write_lookup(lookup_file(folder, 1), parts)
    found = read_lookup(folder, 1)
    assert isinstance(found, Lookup)
    return found


def offsets_of(lookup: Lookup, wanted: int) -> list[int]:
    """Return the offsets of all entries that may be those of one hash."""
    one = np.array([wanted], np.uint64)
    at, found = lookup.search(one), list[int]()
    while lookup.matches(at, one)[0]:
        found += lookup.offsets(at).tolist()
        at = at + 1
    return found


@pytest.mark.parametrize("highest", [0, 2**16 - 1, 2**16, 2**24 - 1, 2**24, 2**32 - 1])
@pytest.mark.parametrize("count", [0, 1, 2, 63, 64, 5_000])
def test_each_hash_leads_to_its_items_and_few_others(
    tmp_path: Path, count: int, highest: int
) -> None:
    random = np.random.default_rng(count + highest)
    hashed = random.integers(0, 2**64, count, np.uint64)
    hashed[: count // 8] = SHARED | random.integers(0, 4, count // 8, np.uint64)  # some are equal
    offsets = random.integers(0, highest, count, np.int64, endpoint=True)
    lookup = written(tmp_path, hashed, offsets)
    assert len(lookup) == count
    truth: dict[int, list[int]] = {}
    for one, offset in zip(hashed.tolist(), offsets.tolist(), strict=True):
        truth.setdefault(one, []).append(offset)
    for one, wanted in list(truth.items())[:300]:
        found = offsets_of(lookup, one)
        assert not set(wanted) - set(found)
        assert len(found) <= len(wanted) + (count // 8 if one >> 16 == int(SHARED) >> 16 else 2)
    missing = random.integers(0, 2**64, 2_000, np.uint64)
    assert lookup.matches(lookup.search(missing), missing).mean() < 0.01
    assert sorted(lookup.offsets().tolist()) == sorted(offsets.tolist())


def test_several_hashes_are_found_at_once(tmp_path: Path) -> None:
    hashed = np.random.default_rng(3).permutation(
        np.arange(1, 4_001, dtype=np.uint64) << np.uint64(48)
    )
    lookup = written(tmp_path, hashed, np.arange(4_000))
    at = lookup.search(hashed)
    assert lookup.matches(at, hashed).all()
    assert lookup.offsets(at).tolist() == list(range(4_000))
    assert not lookup.matches(at, hashed + np.uint64(1 << 47)).any()


def test_shared_hashes_are_noticed_whichever_side_is_longer(tmp_path: Path) -> None:
    hashed = np.arange(1, 101, dtype=np.uint64) << np.uint64(56)
    lookup = written(tmp_path, hashed, np.arange(100))
    others = np.sort(np.random.default_rng(4).integers(2**40, 2**55, 1_000, np.uint64))
    assert not lookup.shares(others)
    assert not lookup.shares(others[:3])
    assert lookup.shares(np.append(others, hashed[70]))
    assert lookup.shares(np.append(others[:3], hashed[70]))


def test_a_rewritten_look_up_leads_from_the_same_hashes_to_the_same_items(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fewer entries have fewer buckets, so marks then hold other bits of the hashes."""
    monkeypatch.setattr(module, "AT_ONCE", 100)
    hashed = np.random.default_rng(5).integers(0, 2**64, 3_000, np.uint64)
    lookup = written(tmp_path, hashed, np.arange(3_000))
    (tmp_path / "few").mkdir()

    def kept() -> Iterator[tuple[U64, I64]]:
        return ((some[offsets < 40], offsets[offsets < 40]) for some, offsets in lookup.pairs())

    write_lookup(lookup_file(tmp_path / "few", 1), kept)
    few = read_lookup(tmp_path / "few", 1)
    at = few.search(hashed)
    assert len(few) == 40
    assert few.matches(at, hashed)[:40].all()
    assert few.offsets(at[:40]).tolist() == list(range(40))


@pytest.mark.parametrize("harm", [lambda w: w[:5], lambda w: w[:-1], lambda w: np.full_like(w, 99)])
def test_an_array_that_is_not_a_look_up_is_refused(tmp_path: Path, harm: object) -> None:
    written(tmp_path, np.arange(9, dtype=np.uint64) << np.uint64(60), np.arange(9))
    words = np.load(lookup_file(tmp_path, 1))
    with pytest.raises(ValueError, match="not a look-up"):
        Lookup(harm(words))  # type: ignore[operator]
