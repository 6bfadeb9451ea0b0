"""Read the weights of sources from a CSV file with the columns item and weight."""

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

from provhouse.model.errors import BadInput

COLUMNS = ["item", "weight"]


def read_weights(path: Path) -> dict[str, float]:
    """Return the weight of each item in a CSV file.

    Raises BadInput for an unreadable file, a wrong header, a line other than an item and a number,
    or an item that occurs twice.
    """
    found = dict[str, float]()
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            for line, item, text in _lines(path, csv.reader(file, strict=True)):
                if item in found:
                    _refuse(path, line, f"the item {item!r} occurs twice", "Keep one of them")
                try:
                    found[item] = float(text)
                except ValueError:
                    _refuse(path, line, f"{text!r:.100} is not a number", "Correct it")
    except OSError as error:
        raise BadInput(f"Cannot read {path}", f"{error.strerror}", "Name another file") from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise BadInput(
            f"Cannot use the weights in {path}", f"It is not valid CSV: {error}"[:200], "Correct it"
        ) from error
    return found


def _lines(path: Path, rows: Iterator[list[str]]) -> Iterator[tuple[int, str, str]]:
    """Yield the line number, the item and the weight of each line."""
    if (header := next(rows, [])) != COLUMNS:
        _refuse(path, 1, f"the columns are {header!r:.100}", f"Name them {','.join(COLUMNS)}")
    for line, row in enumerate(rows, 2):
        if row and (len(row) != len(COLUMNS) or not row[0]):
            _refuse(path, line, f"it is {row!r:.100}", "Write an item and its weight")
        if row:
            yield line, row[0], row[1]


def _refuse(path: Path, line: int, found: str, remedy: str) -> NoReturn:
    raise BadInput(f"Cannot use the weights in {path}", f"In row {line}, {found}", remedy)
