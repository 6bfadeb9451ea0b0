"""A warehouse with records of persons, which tests erase."""

import csv
import shutil
from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path

from helpers.leftovers import leftovers
from helpers.warehouse import House
from provhouse.care.compact import compact
from provhouse.care.forget import Forgotten, forget
from provhouse.care.retract import Retracting, retract
from provhouse.care.rollback import rollback
from provhouse.ingest.ingest import ingest
from provhouse.model.progress import Silent

NAMES = ('Zoë O\'Brien "née" 名前/17', "persons/4711-" + "long" * 300, "plain.person@example")
OPS = tuple(f"an operation that only person {n} ever had, 唯一" for n in range(3))
NOTES = tuple(f"note about person {n}: ∂{n * 7919}" for n in range(3))
HEAD = ("src", "dst", "op", "src_table", "dst_table", "note")


def rows_of(person: int, name: str) -> list[tuple[str, ...]]:
    """Return the triples whose src or dst is a person's record."""
    return [
        ("raw/1", name, "read", "raw", "persons", NOTES[person]),
        (name, "report/1", OPS[person], "persons", "reports", NOTES[person]),
        (name, "report/1", "sum", "persons", "reports", ""),
        (name, f"report/{person + 2}", "sum", "persons", "reports", ""),
    ]


OTHERS = [
    ("raw/0", "raw/1", "copy", "raw", "raw", "kept"),
    ("raw/1", "report/1", "sum", "raw", "reports", "kept"),
    ("report/1", "board/1", "show", "reports", "boards", ""),
]


def write(folder: Path, name: str, rows: Collection[tuple[str, ...]]) -> Path:
    file = folder / name
    with file.open("w", encoding="utf-8", newline="") as out:
        csv.writer(out).writerows([HEAD, *rows])
    return file


@dataclass
class Persons:
    """A warehouse with persons, which tests erase."""

    house: House

    def forget(self, *names: str) -> Forgotten:
        return forget(names or NAMES, self.house.settings, Silent())

    def remains(self) -> set[str]:
        folders = {self.house.settings.warehouse, self.house.settings.graph_home}
        return leftovers(folders, (*OPS, *NOTES), NAMES)

    def in_files(self) -> set[str]:
        return leftovers([self.house.settings.warehouse], (*OPS, *NOTES), NAMES)


def history(house: House) -> None:
    """Make ingests, a rollback, a run, a retraction, a compaction, rejected rows and a log."""
    folder = house.settings.warehouse.parent

    def take(name: str, *rows: tuple[str, ...], run: str | None = None) -> None:
        ingest([write(folder, name, rows)], house.settings, progress=Silent(), run=run)

    take("first.csv", *OTHERS, *rows_of(0, NAMES[0]))
    rollback(house.settings, Silent())
    rejected = (NAMES[0], "", OPS[0], "", "", NOTES[0])
    take("again.csv", *OTHERS, *rows_of(0, NAMES[0]), rejected)
    take("run.csv", *rows_of(1, NAMES[1]), run="july")
    compact(house.settings, Silent())
    take("third.csv", *rows_of(2, NAMES[2]), ("", "elsewhere", "x", "", "", "a reject that stays"))
    retract(Retracting(items=[NAMES[2]]), house.settings, Silent())
    (house.layout.logs / "crash.log").write_text(f"something about {NAMES[1]}")


def copied(house: House, folder: Path) -> Persons:
    """Return a copy of the warehouse's folder.

    Copy and original share the same content in Neo4j.
    """
    shutil.copytree(house.settings.warehouse, folder / "warehouse")
    settings = replace(house.settings, warehouse=folder / "warehouse")
    return Persons(House(settings, house.session, bare=True))
