"""Hashes equal those of the reference library, for every memory layout of names in Arrow."""

import pyarrow as pa
import pytest
import xxhash
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.collision import colliding
from provhouse.store.names.hashing import hashes

NAMES = st.lists(st.text(max_size=100))


def reference(names: list[str], seed: int) -> list[int]:
    return [xxhash.xxh64_intdigest(name.encode(), seed) for name in names]


@settings(deadline=None)
@given(NAMES, st.integers(0, 2**64 - 1))
def test_hashes_equal_the_reference(names: list[str], seed: int) -> None:
    assert hashes(pa.array(names, pa.string()), seed).tolist() == reference(names, seed)


@pytest.mark.parametrize("length", [0, 1, 3, 4, 5, 7, 8, 9, 12, 15, 16, 31, 32, 33, 63, 64, 1000])
def test_names_of_every_length_class(length: int) -> None:
    name = "".join(chr(33 + n % 90) for n in range(length))
    assert hashes(pa.array([name])).tolist() == reference([name], 0)


@settings(deadline=None)
@given(NAMES, NAMES, st.integers(0, 5))
def test_slices_chunks_and_large_strings(one: list[str], other: list[str], start: int) -> None:
    chunked = pa.chunked_array([pa.array(one, pa.string()), pa.array(other, pa.string())])
    assert hashes(chunked).tolist() == reference(one + other, 0)
    assert hashes(pa.array(one, pa.string())[start:]).tolist() == reference(one[start:], 0)
    assert hashes(pa.array(one, pa.large_string())).tolist() == reference(one, 0)


def test_an_array_without_chunks() -> None:
    assert hashes(pa.chunked_array([], pa.string())).tolist() == []


def test_the_constructed_names_do_collide() -> None:
    one, other = colliding()
    assert one != other
    assert reference([one], 0) == reference([other], 0)
    assert reference([one], 1) != reference([other], 1)
