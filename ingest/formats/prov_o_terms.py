"""The terms of PROV-O, mapped to the relations and arguments in ``prov_terms``."""

from typing import NamedTuple

RDF_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"


class Qualified(NamedTuple):
    """A property that links a resource to a node, which describes a relation of the resource.

    The resource is the argument ``subject`` of the relation. ``parts`` maps each property of the
    node to the argument that it gives.
    """

    relation: str
    subject: str
    parts: dict[str, str]
    node: str
    """The class of the node."""
    type: str | None = None
    """The kind of derivation that the property implies."""


_TIMED = {"atTime": "time", "startedAtTime": "time", "endedAtTime": "time"}
_DERIVED = {
    "entity": "usedEntity",
    "hadActivity": "activity",
    "hadGeneration": "generation",
    "hadUsage": "usage",
}


def _derivation(node: str) -> Qualified:
    type = None if node == "Derivation" else node
    return Qualified("wasDerivedFrom", "generatedEntity", _DERIVED, node, type)


QUALIFIED = {
    "qualifiedUsage": Qualified("used", "activity", {"entity": "entity", **_TIMED}, "Usage"),
    "qualifiedGeneration": Qualified(
        "wasGeneratedBy", "entity", {"activity": "activity", **_TIMED}, "Generation"
    ),
    "qualifiedDerivation": _derivation("Derivation"),
    "qualifiedRevision": _derivation("Revision"),
    "qualifiedQuotation": _derivation("Quotation"),
    "qualifiedPrimarySource": _derivation("PrimarySource"),
    "qualifiedCommunication": Qualified(
        "wasInformedBy", "informed", {"activity": "informant"}, "Communication"
    ),
    "qualifiedStart": Qualified(
        "wasStartedBy",
        "activity",
        {"entity": "trigger", "hadActivity": "starter", **_TIMED},
        "Start",
    ),
    "qualifiedEnd": Qualified(
        "wasEndedBy", "activity", {"entity": "trigger", "hadActivity": "ender", **_TIMED}, "End"
    ),
    "qualifiedInvalidation": Qualified(
        "wasInvalidatedBy", "entity", {"activity": "activity", **_TIMED}, "Invalidation"
    ),
    "qualifiedAttribution": Qualified(
        "wasAttributedTo", "entity", {"agent": "agent"}, "Attribution"
    ),
    "qualifiedAssociation": Qualified(
        "wasAssociatedWith", "activity", {"agent": "agent", "hadPlan": "plan"}, "Association"
    ),
    "qualifiedDelegation": Qualified(
        "actedOnBehalfOf",
        "delegate",
        {"agent": "responsible", "hadActivity": "activity"},
        "Delegation",
    ),
    "qualifiedInfluence": Qualified(
        "wasInfluencedBy",
        "influencee",
        dict.fromkeys(("influencer", "entity", "activity", "agent"), "influencer"),
        "Influence",
    ),
}
"""For each property, the relation that its node describes."""
PARTS = {name for each in QUALIFIED.values() for name in each.parts} | {"hadRole"}
"""The properties of nodes that describe relations. In some documents, the relation is missing."""
SUBTYPES = {
    "wasRevisionOf": "Revision",
    "wasQuotedFrom": "Quotation",
    "hadPrimarySource": "PrimarySource",
}
"""The kinds of derivation that some properties imply."""
NODES = {each.node for each in QUALIFIED.values()} - {*SUBTYPES.values()} | {
    "InstantaneousEvent", "EntityInfluence", "ActivityInfluence", "AgentInfluence",
}  # fmt: skip
"""The classes of nodes that do not add any information to the property."""
DIRECT = {
    "used": ("used", "activity", "entity"),
    "wasGeneratedBy": ("wasGeneratedBy", "entity", "activity"),
    "wasDerivedFrom": ("wasDerivedFrom", "generatedEntity", "usedEntity"),
    "wasRevisionOf": ("wasDerivedFrom", "generatedEntity", "usedEntity"),
    "wasQuotedFrom": ("wasDerivedFrom", "generatedEntity", "usedEntity"),
    "hadPrimarySource": ("wasDerivedFrom", "generatedEntity", "usedEntity"),
    "wasInformedBy": ("wasInformedBy", "informed", "informant"),
    "wasStartedBy": ("wasStartedBy", "activity", "trigger"),
    "wasEndedBy": ("wasEndedBy", "activity", "trigger"),
    "wasInvalidatedBy": ("wasInvalidatedBy", "entity", "activity"),
    "wasAttributedTo": ("wasAttributedTo", "entity", "agent"),
    "wasAssociatedWith": ("wasAssociatedWith", "activity", "agent"),
    "actedOnBehalfOf": ("actedOnBehalfOf", "delegate", "responsible"),
    "specializationOf": ("specializationOf", "specificEntity", "generalEntity"),
    "mentionOf": ("mentionOf", "specificEntity", "generalEntity"),
    "alternateOf": ("alternateOf", "alternate1", "alternate2"),
    "hadMember": ("hadMember", "collection", "entity"),
    "wasInfluencedBy": ("wasInfluencedBy", "influencee", "influencer"),
}
"""For each property, its relation, and which arguments are the property's subject and object."""
INVERSE = {
    "generated": ("wasGeneratedBy", "activity", "entity"),
    "invalidated": ("wasInvalidatedBy", "activity", "entity"),
    "influenced": ("wasInfluencedBy", "influencer", "influencee"),
}
"""For each property that PROV-O defines in the opposite direction, an entry as in ``DIRECT``."""
NAMES = {"hadRole": "role", "atLocation": "location"}
"""The PROV-N names of attributes whose names in PROV-O are different."""
OF_ELEMENTS = {
    "startedAtTime", "endedAtTime", "generatedAtTime", "invalidatedAtTime", "value", "atLocation",
    "asInBundle", "type", "label", "location", "role",
}  # fmt: skip
"""The properties of elements that are not relations."""
