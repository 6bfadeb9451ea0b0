"""The programs of `programs.py` on RDDs: grep, word count, and the PigMix queries that Titian ran.

Each program returns an RDD of lines. A program can run on Spark's own ``Context`` and RDDs, or on
those of capture.
"""

from collections.abc import Callable
from operator import add
from pathlib import Path
from typing import Any

TERM = "w1f3"
"""The word that grep looks for."""
NOON = 43_200
USER, ACTION, SPENT, QUERY, IP, TIME, REVENUE, INFO, LINKS = range(9)


class Inputs:
    """Reads the tables below a folder, with the given number of partitions."""

    def __init__(self, context: Any, folder: Path, partitions: int) -> None:
        self._context, self._folder, self.partitions = context, folder, partitions

    def text(self, name: str) -> Any:
        """Return the lines of a table."""
        return self._context.textFile(str(self._folder / f"{name}.txt"), self.partitions)

    def rows(self, name: str) -> Any:
        """Return the fields of the rows of a table."""
        return self.text(name).map(_fields)

    def names(self, name: str) -> Any:
        """Return the first field of each row of a table, paired with None."""
        return self.text(name).map(_named)


def _fields(line: str) -> list[str]:
    return line.split("\t")


def _named(line: str) -> tuple[str, None]:
    return line.split("\t", 1)[0], None


def _line(pair: Any) -> str:
    return f"{pair[0]}\t{pair[1]}"


def grep(read: Inputs) -> Any:
    return read.text("words").filter(lambda line: TERM in line)


def word_count(read: Inputs) -> Any:
    words = read.text("words").flatMap(lambda line: line.split(" ")).map(lambda word: (word, 1))
    return words.reduceByKey(add, read.partitions).map(_line)


def l1(read: Inputs) -> Any:
    """Take the links of each page view; for each user, count the links with a header."""
    exploded = read.rows("views").flatMap(
        lambda row: [
            (row[USER], int(bool(row[INFO] if row[ACTION] == "1" else link)))
            for link in row[LINKS].split("|")
        ]
    )
    return exploded.reduceByKey(add, read.partitions).map(_line)


def l2(read: Inputs) -> Any:
    """Join page views with the few power users."""
    views = read.rows("views").map(lambda row: (row[USER], row[REVENUE]))
    joined = views.join(read.names("power_users"), read.partitions)
    return joined.map(lambda each: f"{each[0]}\t{each[1][0]}")


def l3(read: Inputs) -> Any:
    """Join views with users, and sum the revenue of each user."""
    views = read.rows("views").map(lambda row: (row[USER], int(row[REVENUE])))
    joined = views.join(read.names("users"), read.partitions)
    return joined.mapValues(lambda both: both[0]).reduceByKey(add, read.partitions).map(_line)


def l4(read: Inputs) -> Any:
    """Count the different actions of each user."""
    actions = read.rows("views").map(lambda row: (row[USER], row[ACTION])).distinct(read.partitions)
    return actions.mapValues(lambda _: 1).reduceByKey(add, read.partitions).map(_line)


def l5(read: Inputs) -> Any:
    """Find people who have viewed pages but are not users."""
    viewers = read.names("views").distinct(read.partitions)
    return viewers.subtractByKey(read.names("users"), read.partitions).keys()


def l6(read: Inputs) -> Any:
    """Sum the time by groups, many of which have only one row."""
    spent = read.rows("views").map(
        lambda row: ((row[USER], row[QUERY], row[IP], row[TIME]), int(row[SPENT]))
    )
    return spent.reduceByKey(add, read.partitions).map(
        lambda each: "\t".join((*each[0], str(each[1])))
    )


def l7(read: Inputs) -> Any:
    """Count the views of each user before and after noon."""
    halves = read.rows("views").map(lambda row: (row[USER], int(row[TIME]) < NOON))
    counts = halves.aggregateByKey(
        (0, 0),
        lambda found, early: (found[0] + early, found[1] + (not early)),
        lambda one, two: (one[0] + two[0], one[1] + two[1]),
        read.partitions,
    )
    return counts.map(lambda each: f"{each[0]}\t{each[1][0]}\t{each[1][1]}")


def l11(read: Inputs) -> Any:
    """Find all people who have viewed pages or are in the wide table."""
    viewers = read.names("views").distinct(read.partitions)
    others = read.names("wide").distinct(read.partitions)
    return viewers.union(others).distinct(read.partitions).keys()


PROGRAMS: dict[str, Callable[[Inputs], Any]] = {
    "grep": grep, "word count": word_count, "L1": l1, "L2": l2, "L3": l3, "L4": l4, "L5": l5,
    "L6": l6, "L7": l7, "L11": l11,
}  # fmt: skip
