"""Random damage to a file's content: flipped bits, replaced characters, cut or moved parts."""

import random


def flipped(data: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << chance.randrange(8)]) + data[at + 1 :]


def replaced(data: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(data))
    other = chance.choice([b'"', b",", b"\n", b"\r", b"\0", b"\xff", b"{", b"\\", b"\\ud800"])
    return data[:at] + other + data[at + chance.randint(0, 1) :]


def cut(data: bytes, chance: random.Random) -> bytes:
    low, high = sorted(chance.randrange(len(data) + 1) for _ in range(2))
    return data[:low] if chance.random() < 0.5 else data[:low] + data[high:]


def repeated(data: bytes, chance: random.Random) -> bytes:
    low, high = sorted(chance.randrange(len(data) + 1) for _ in range(2))
    return data[:high] + data[low:high] * chance.choice((1, 1, 50)) + data[high:]


def moved(data: bytes, chance: random.Random) -> bytes:
    """Exchange two parts of the data, as separated by commas, line ends or quotes."""
    sign = chance.choice((b",", b"\n", b'"'))
    parts = data.split(sign)
    one, other = chance.randrange(len(parts)), chance.randrange(len(parts))
    parts[one], parts[other] = parts[other], parts[one]
    return sign.join(parts)


HARMS = (flipped, replaced, cut, repeated, moved)


def harmed(data: bytes, chance: random.Random) -> bytes:
    """Return the data, damaged at random up to three times."""
    for _ in range(chance.choice((0, 1, 1, 1, 2, 3))):
        if data:
            data = chance.choice(HARMS)(data, chance)
    return data
