"""One ingest as it goes: what it was given, and what each step adds."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pyspark import SparkContext

from provhouse.commit.ending import NOTHING_ENDS, Ended
from provhouse.commit.origins import Origin
from provhouse.cypher.graph import Graph
from provhouse.cypher.server import Import
from provhouse.model.progress import Progress
from provhouse.model.settings import Settings
from provhouse.store.warehouse.commits import Commit
from provhouse.store.warehouse.ids import Ids
from provhouse.store.warehouse.layout import Layout

from .formats.registry import Source
from .splits import Split
from .steps.cut import Cut
from .steps.distinct_names import Named
from .steps.place import Gathered
from .steps.stage import Reject, Staged

NOTHING_CUT = Cut(0, 0, 0, ())


@dataclass
class Work:
    """One ingest as it goes: what it was given, and what each step adds."""

    settings: Settings
    layout: Layout
    before: Commit | None
    """The generation that is current until this one is."""
    held: Commit | None
    """The same if this ingest adds to it; None begins a base."""
    ids: Ids
    sources: Sequence[Source]
    splits: tuple[Path, list[Split]] | None
    strict: bool
    folder: Path
    """The staging folder."""
    progress: Progress
    run: str | None = None
    """What is brought replaces what this run has brought before."""
    context: SparkContext | None = None
    """None in a preview, whose tasks run here; so is the graph."""
    graph: Graph | None = None
    """None until the first load, where the importer comes before the server."""
    connect: Callable[[Import], Graph] | None = None
    """Starts the server, with this to be imported before."""
    staged: list[Staged] = field(default_factory=list)
    named: list[Named] = field(default_factory=list)
    buckets: int = 1
    """In how many parts names are held; a power of two."""
    seed: int = 0
    first_rejects: list[Reject] = field(default_factory=list)
    tables: list[str] = field(default_factory=list)
    cut: Cut = NOTHING_CUT
    origins: list[Origin] = field(default_factory=list)
    """Those of the files, in their order; in a compaction all that are held."""
    gathered: list[Gathered] = field(default_factory=list)
    ended: Ended = NOTHING_ENDS
    """What the run has brought before and does not bring again."""
    commit: Commit | None = None
    rolls_back_to: int | None = field(init=False)

    def __post_init__(self) -> None:
        """What this ingest brings is taken back by what was there before."""
        self.rolls_back_to = self.before.generation if self.before else 0

    @property
    def base(self) -> int:
        """The base that is written to."""
        return self.held.base if self.held else self.ids.base

    @property
    def rows(self) -> int:
        """Valid rows that were read."""
        return sum(staged.valid for staged in self.staged)

    @property
    def rejected(self) -> int:
        """Rows that are no triples."""
        return sum(staged.rejected for staged in self.staged)

    @property
    def triples(self) -> int:
        """New triples."""
        return sum(sum(part.partitions) for part in self.gathered)

    @property
    def asserted(self) -> int:
        """How often an origin brought a triple that it did not stand for, though another did."""
        return sum(part.asserted for part in self.gathered)

    @property
    def duplicates(self) -> int:
        """Valid rows that added no triple."""
        return self.rows - self.triples

    @property
    def two_tables(self) -> int:
        """Items that were named with a table that they do not keep."""
        return sum(named.two_tables for named in self.named)
