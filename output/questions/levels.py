"""Questions whose answers are shown at a level: as modules, tables, sets or records."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from provhouse.model.deletion import Deletion
from provhouse.model.question import Direction, Question
from provhouse.model.zoom import Level

from .asking import Askers, Asking, Name, meaning
from .derivation_questions import Supposed
from .items import Between, Compared

if TYPE_CHECKING:
    from provhouse.query.lineage.ask import Asker
    from provhouse.query.zoom.zoom_diff import ZoomedDiff
    from provhouse.query.zoom.zoom_path import ZoomedPath
    from provhouse.query.zoom.zoom_what_if import ZoomedWhatIf
    from provhouse.query.zoom.zoomed import Zoomed

FOLD = meaning("Modules to fold into one node each")


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class AtLevel:
    """The parameters of a view."""

    zoom: Level = "module"
    fold: tuple[str, ...] = field(default=(), metadata=FOLD)


@dataclass(frozen=True, eq=False, repr=False)
class AskingZoom(
    Question,
    Asking["Zoomed"],
    found="query.zoom.zoomed.Zoomed",
    result="level_view.ZoomedResult",
    pictured=True,
):
    """Show the lineage or impact of an item at the level of modules, tables, sets or records."""

    item: Name
    direction: Direction = "upstream"
    zoom: Level = "module"
    fold: tuple[str, ...] = field(default=(), metadata=FOLD)
    foldable: bool = field(
        default=False, metadata=meaning("Add the data that a page needs to fold and unfold modules")
    )

    def find(self, asker: "Asker") -> "Zoomed":
        """Return the answer at the level."""
        from provhouse.query.zoom.zoomed import zoom

        question = self.part(Question)
        return zoom(asker, question, self.zoom, self.fold, foldable=self.foldable)


@dataclass(frozen=True, eq=False, repr=False)
class AskingZoomPath(
    Between,
    AtLevel,
    Asking["ZoomedPath"],
    found="query.zoom.zoom_path.ZoomedPath",
    result="zoomed_path.ZoomedPathResult",
    pictured=True,
):
    """Show how one item was derived from another, as modules, tables, sets or records."""

    def find(self, asker: "Asker") -> "ZoomedPath":
        """Return the path at the level."""
        from provhouse.query.zoom.zoom_path import zoom_path

        return zoom_path(asker, self.source, self.target, self.zoom, self.fold, every=self.every)


@dataclass(frozen=True, eq=False, repr=False)
class AskingZoomDiff(
    Compared,
    AtLevel,
    Asking["ZoomedDiff"],
    found="query.zoom.zoom_diff.ZoomedDiff",
    result="zoomed_diff.ZoomedDiffResult",
    pictured=True,
):
    """Compare the answers of two generations, as modules, tables, sets or records."""

    def answer(self, askers: Askers) -> "ZoomedDiff":
        """Return how the answer changed, at the level."""
        from provhouse.query.zoom.zoom_diff import zoom_diff

        return zoom_diff(self.question(), self.until, self.zoom, self.fold, askers)


@dataclass(frozen=True, eq=False, repr=False)
class AskingZoomWhatIf(
    Supposed,
    AtLevel,
    Asking["ZoomedWhatIf"],
    found="query.zoom.zoom_what_if.ZoomedWhatIf",
    result="zoomed_what_if.ZoomedWhatIfResult",
    pictured=True,
):
    """Show what would happen if items or triples did not exist, as modules, tables or sets."""

    def find(self, asker: "Asker") -> "ZoomedWhatIf":
        """Return the consequences of the deletion at the level."""
        from provhouse.query.zoom.zoom_what_if import zoom_what_if

        return zoom_what_if(asker, self.part(Deletion), self.zoom, self.fold)
