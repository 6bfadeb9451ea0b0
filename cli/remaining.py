"""How long a step still takes, by how it went so far."""


class Remaining:
    """Told which part of a step is done after so many seconds, it tells how long the whole takes.

    What was done at the first sign is not counted, nor the time until then: a step begins slowly.
    """

    def __init__(self) -> None:
        self._signs: list[tuple[float, float]] = []
        """The first sign, and the last one that told of more."""

    def add(self, seconds: float, part: float) -> None:
        """After so many seconds this part, up to 1, is done."""
        if not self._signs or part > self._signs[-1][1]:
            self._signs[1:] = [(seconds, part)]

    def whole(self) -> float | None:
        """The seconds that the step takes in all; None until it was seen to go on."""
        if len(self._signs) < 2:
            return None
        (began, before), (seconds, part) = self._signs
        return seconds + (1 - part) * (seconds - began) / (part - before)
