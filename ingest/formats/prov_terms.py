"""The relations of W3C PROV, and which of them are lineage.

The names of the relations and their arguments are the same in PROV-N and PROV-JSON
(https://www.w3.org/TR/prov-n, https://www.w3.org/submissions/prov-json), and are used here. A
triple that comes from a relation has the op ``prov:RELATION``. Its attributes are the attributes of
the relation, and the arguments that are neither src nor dst.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from .made_rows import Row

OF_PROV = "prov:"
"""The prefix of the ops and attribute names that PROV defines."""
ENTITY, ACTIVITY = "entity", "activity"
ID, BUNDLE = "prov:id", "bundle"
"""The attributes with the identifier of a relation, and with the bundle that contains it."""
TIMES = ("time", "startTime", "endTime")
"""The arguments that are times; all others are names."""


class Edge(NamedTuple):
    """The arguments of a relation that become the src and dst of a triple, and their tables."""

    src: str
    dst: str
    src_table: str | None
    dst_table: str | None


@dataclass(frozen=True)
class Relation:
    """A relation of PROV: its name, arguments and triples.

    A relation that does not express lineage does not become triples.
    """

    name: str
    arguments: tuple[str, ...]
    edges: tuple[Edge, ...] = ()
    plain: bool = False
    """Whether PROV gives the relation neither an identifier nor attributes."""


ELEMENTS = {
    ENTITY: ("id",),
    ACTIVITY: ("id", "startTime", "endTime"),
    "agent": ("id",),
}
"""The arguments with which each kind of element is declared."""
RELATIONS = {
    each.name: each
    for each in (
        Relation("used", (ACTIVITY, ENTITY, "time"), (Edge(ENTITY, ACTIVITY, ENTITY, ACTIVITY),)),
        Relation(
            "wasGeneratedBy",
            (ENTITY, ACTIVITY, "time"),
            (Edge(ACTIVITY, ENTITY, ACTIVITY, ENTITY),),
        ),
        Relation(
            "wasDerivedFrom",
            ("generatedEntity", "usedEntity", ACTIVITY, "generation", "usage"),
            (Edge("usedEntity", "generatedEntity", ENTITY, ENTITY),),
        ),
        Relation(
            "wasInformedBy",
            ("informed", "informant"),
            (Edge("informant", "informed", ACTIVITY, ACTIVITY),),
        ),
        Relation(
            "wasStartedBy",
            (ACTIVITY, "trigger", "starter", "time"),
            (
                Edge("trigger", ACTIVITY, ENTITY, ACTIVITY),
                Edge("starter", ACTIVITY, ACTIVITY, ACTIVITY),
            ),
        ),
        Relation(
            "specializationOf",
            ("specificEntity", "generalEntity"),
            (Edge("generalEntity", "specificEntity", ENTITY, ENTITY),),
            plain=True,
        ),
        Relation(
            "mentionOf",
            ("specificEntity", "generalEntity", "bundle"),
            (Edge("generalEntity", "specificEntity", ENTITY, ENTITY),),
            plain=True,
        ),
        Relation(
            "hadMember",
            ("collection", ENTITY),
            (Edge(ENTITY, "collection", ENTITY, ENTITY),),
            plain=True,
        ),
        Relation(
            "wasInfluencedBy",
            ("influencee", "influencer"),
            (Edge("influencer", "influencee", None, None),),
        ),
        Relation("wasEndedBy", (ACTIVITY, "trigger", "ender", "time")),
        Relation("wasInvalidatedBy", (ENTITY, ACTIVITY, "time")),
        Relation("alternateOf", ("alternate1", "alternate2"), plain=True),
        Relation("wasAttributedTo", (ENTITY, "agent")),
        Relation("wasAssociatedWith", (ACTIVITY, "agent", "plan")),
        Relation("actedOnBehalfOf", ("delegate", "responsible", ACTIVITY)),
    )
}
"""The relations, by name.

Relations about the end of an entity, about agents or about alternates do not become triples,
because they do not derive one item from another.
"""


@dataclass(frozen=True)
class Found:
    """One occurrence of a relation in a document."""

    relation: Relation
    arguments: Mapping[str, str]
    """The stated arguments, by name. Values that are names are IRIs."""
    attributes: Mapping[str, Sequence[str]]
    """The values of each further attribute, by the attribute's name."""
    id: str | None = None
    bundle: str | None = None

    def rows(self, unread: Counter[str]) -> Iterator[Row]:
        """Yield the relation's triples, or count it in ``unread`` if it has none."""
        made = [
            edge
            for edge in self.relation.edges
            if edge.src in self.arguments and edge.dst in self.arguments
        ]
        if not made:
            lacking = " without an end" if self.relation.edges else ""
            unread[f"{self.relation.name}{lacking}"] += 1
        for edge in made:
            yield self._row(edge)

    def _row(self, edge: Edge) -> Row:
        more = {
            f"{OF_PROV}{name}": value
            for name, value in self.arguments.items()
            if name not in (edge.src, edge.dst)
        }
        row: Row = {
            "src": self.arguments[edge.src],
            "dst": self.arguments[edge.dst],
            "op": f"{OF_PROV}{self.relation.name}",
            "src_table": edge.src_table,
            "dst_table": edge.dst_table,
        }
        kept: Row = {name: _joined(values) for name, values in self.attributes.items()}
        if "op" in kept:  # provhouse has written a triple that came from no relation of PROV
            row |= {"src_table": None, "dst_table": None}
            kept["op"] = kept["op"] or None
        return {**row, **more, ID: self.id, BUNDLE: self.bundle, **kept}


def _joined(values: Sequence[str]) -> str:
    """Return the values of an attribute as one string; several values become a JSON list."""
    distinct = sorted(set(values))
    return distinct[0] if len(distinct) == 1 else json.dumps(distinct, ensure_ascii=False)
