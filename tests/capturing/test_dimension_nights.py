"""A slowly changing dimension of type 2, kept by nightly MERGEs, compared with a Python model."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from helpers.changing import Changing, Key
from helpers.warehouse import House

MERGE = """
MERGE INTO {0} d USING (
  SELECT customer AS matched, * FROM news
  UNION ALL
  SELECT NULL AS matched, n.* FROM news n JOIN {0} d ON n.customer = d.customer
  WHERE d.until IS NULL AND NOT n.city <=> d.city
) s ON d.customer = s.matched AND d.until IS NULL
WHEN MATCHED AND NOT s.city <=> d.city THEN UPDATE SET until = s.night
WHEN NOT MATCHED THEN INSERT (k, customer, city, since, until)
  VALUES (concat(s.customer, '-', s.night), s.customer, s.city, s.night, NULL)
"""


def news(night: int) -> list[tuple[str, str | None]]:
    """Return the customers reported in one night, with their cities; some cities are unknown."""
    return [
        (f"c{number}", None if (number + night) % 7 == 0 else f"city{(number * night) % 4}")
        for number in range(10)
        if (number + night) % 2 == 0
    ]


@dataclass
class Dimension:
    """The rows of the dimension that are valid now, by customer: their keys and cities."""

    table: Changing
    now: dict[str, tuple[Key, str | None]] = field(default_factory=dict)

    def night(self, night: int) -> None:
        """Run a night's MERGE, and record its effect on each row."""
        rows = news(night)
        self.table.source(
            "news",
            k=[f"{customer}-{night}" for customer, _ in rows],
            customer=[customer for customer, _ in rows],
            city=[city for _, city in rows],
            night=[night] * len(rows),
        )
        changed = [(c, city) for c, city in rows if c not in self.now or self.now[c][1] != city]
        before = {c: self.now[c][0] for c, _ in changed if c in self.now}
        old = {key: self.table.names[key] for key in before.values()}
        version = self.table.run(MERGE)
        for customer, city in changed:
            key, source = f"{customer}-{night}", f"news/{customer}-{night}"
            closed = before.get(customer)
            self.table.note(version, {key: [source, *([old[closed]] if closed else [])]}, new=True)
            if closed:
                self.table.parents[f"balance/{closed}@{version}"] = {old[closed], source}
                self.table.names[closed] = f"balance/{closed}@{version}"
            self.now[customer] = key, city


@pytest.mark.long
@pytest.mark.parametrize("nights", [3, 30])
def test_each_version_of_a_dimension_has_its_whole_past(
    nights: int, houses: Callable[..., House], tmp_path: Path
) -> None:
    table = Changing(houses(), tmp_path)
    empty = table.source("nothing", k=["x"], customer=["x"], city=["x"], since=[0], until=[0])
    table.load(empty.where("k = 'y'"), {})
    dimension = Dimension(table)
    for night in range(1, nights + 1):
        dimension.night(night)
    assert len(table.names) > len(dimension.now)
    table.check()
