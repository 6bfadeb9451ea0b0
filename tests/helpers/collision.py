"""Find two names with the same XXH64 hash by running the rounds of the hash backwards."""

from itertools import count

_P1, _P2, _P4 = 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x85EBCA77C2B2AE63
_P5 = 0x27D4EB2F165667C5
_MASK = 2**64 - 1


def colliding() -> tuple[str, str]:
    """Return two names of 16 ASCII characters each that have the same hash with seed 0.

    XXH64 reads such a name as two lanes of 8 bytes, one after the other. Here, the first lane of
    each name is fixed. For each second lane of one name, exactly one second lane of the other name
    gives the same hash. It takes some thousands of attempts to find such a lane with only printable
    bytes.
    """
    start = (_P5 + 16) & _MASK
    first, other = b"provhous", b"provhoue"
    for n in count():
        lane = f"{n:08d}".encode()
        state = _taken(_taken(start, first), lane)
        twin = _lane_between(_taken(start, other), state)
        if all(32 < byte < 127 for byte in twin):
            return (first + lane).decode(), (other + twin).decode()
    raise AssertionError("unreachable")


def _taken(state: int, lane: bytes) -> int:
    """Return the state after reading a lane: ``rotl(state ^ round(0, lane), 27) * P1 + P4``."""
    word = int.from_bytes(lane, "little")
    mixed = state ^ (_left(word * _P2 & _MASK, 31) * _P1 & _MASK)
    return (_left(mixed, 27) * _P1 + _P4) & _MASK


def _lane_between(before: int, after: int) -> bytes:
    """Return the lane that leads from the hash state ``before`` to the hash state ``after``."""
    mixed = _left((after - _P4) * pow(_P1, -1, 2**64) & _MASK, 64 - 27)
    word = _left((mixed ^ before) * pow(_P1, -1, 2**64) & _MASK, 64 - 31)
    return (word * pow(_P2, -1, 2**64) & _MASK).to_bytes(8, "little")


def _left(word: int, bits: int) -> int:
    return (word << bits | word >> (64 - bits)) & _MASK
