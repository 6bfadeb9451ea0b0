"""Comparisons of warehouses with their input files, and of warehouses with other warehouses."""

import csv
import json
from pathlib import Path
from random import Random
from typing import NamedTuple

from helpers.oracle import Oracle, Triple
from helpers.warehouse import House
from provhouse.model.answer import Answer
from provhouse.model.progress import Silent
from provhouse.model.question import Direction
from provhouse.query.lineage.ask import Asker

BOTH: tuple[Direction, ...] = ("upstream", "downstream")


class Row(NamedTuple):
    """A triple with its one attribute."""

    triple: Triple
    by: str = ""


def rows(files: Path, *names: str) -> list[Row]:
    """Return the triples in the named files, without the rows that lack a src."""
    found = []
    for name in names:
        with (files / f"{name}.csv").open(encoding="utf-8", newline="") as file:
            found += [Row(Triple(*row[:5]), row[5]) for row in csv.reader(file)][1:]
    return [row for row in found if row.triple.src]


def some_items(given: list[Row], number: int = 6) -> list[str]:
    items = sorted({end for row in given for end in row.triple[:2]})
    return Random(1).sample(items, number)


def assert_answers(house: House, given: list[Row], as_of: int | None = None) -> None:
    oracle = Oracle.of(row.triple for row in given)
    with Asker(house.settings, Silent(), as_of) as asker:
        for item in some_items(given):
            for direction in BOTH:
                answer, expected = asker.ask(item, direction, "csprov"), oracle.ask(item, direction)
                found = {(row["item"], row["depth"]) for row in answer.items.to_pylist()}
                assert found == expected.items
                assert answer.items.num_rows == len(found)
                wanted = {(*t[:3], by) for t, by in given if t[:3] in expected.triples}
                assert {_row(row) for row in answer.triples.to_pylist()} == wanted
                assert answer.triples.num_rows == len(wanted)


def _row(row: dict[str, str]) -> tuple[str, ...]:
    return row["src"], row["dst"], row["op"], json.loads(row["attributes"]).get("by", "")


def everything(answer: Answer) -> object:
    """Return the table, the items and the triples of an answer in a comparable form."""
    return answer.table, answer.items.to_pylist(), answer.triples.to_pylist()


def assert_same(one: House, other: House, items: list[str]) -> None:
    with one.asker() as this, other.asker() as that:
        for item in items:
            for direction in BOTH:
                answers = [asker.ask(item, direction, "csprov") for asker in (this, that)]
                assert everything(answers[0]) == everything(answers[1])
