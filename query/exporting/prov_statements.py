"""State triples as relations of W3C PROV; an ingest of these relations gives the same triples.

A triple that came from a relation of PROV becomes this relation again. Every other triple becomes
``wasDerivedFrom`` with the attributes ``op``, ``src_table`` and ``dst_table`` of provhouse.
"""

import json
import re
from collections.abc import Iterator, Mapping

from provhouse.ingest.formats.prov_names import attribute_iri, iri_of
from provhouse.ingest.formats.prov_o_terms import PARTS
from provhouse.ingest.formats.prov_terms import (
    ID,
    OF_PROV,
    RELATIONS,
    TIMES,
    Found,
    ProvEdge,
    ProvRelation,
)
from provhouse.model.columns import ATTRIBUTES, DESCRIBING, DST, DST_TABLE, OP, SRC, SRC_TABLE

Exported = Mapping[str, object]
"""A row of an export."""
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?").fullmatch
"""Matches a time. A string that does not match is written as an attribute."""
_DERIVED = RELATIONS["wasDerivedFrom"]
_TERMS = PARTS.union({"id"}, *(relation.arguments for relation in RELATIONS.values()))
"""Reserved names: those of arguments and identifiers.

The IRI of an attribute with such a name is not in PROV's namespace.
"""


def statement(row: Exported) -> Found:
    """Return the relation that a triple becomes. Its names and attribute names are IRIs."""
    attributes = {
        **json.loads(str(row[ATTRIBUTES] or "{}")),
        **{name: str(row[name]) for name in DESCRIBING if row.get(name) not in (None, "")},
    }
    return _as_stated(row, attributes) or _as_derivation(row, attributes)


def values(text: str) -> list[str]:
    """Return the values of an attribute. Two or more values are stored as a JSON list."""
    if text.startswith('["'):
        try:
            found = json.loads(text)
        except ValueError:
            return [text]
        if all(isinstance(each, str) for each in found) and len(found) > 1:
            return found if found == sorted(set(found)) else [text]
    return [text]


def _as_stated(row: Exported, attributes: Mapping[str, str]) -> Found | None:
    """Return the relation of PROV from which a triple came, or None if there is none."""
    op = str(row[OP] or "")
    relation = RELATIONS.get(op.removeprefix(OF_PROV)) if op.startswith(OF_PROV) else None
    edge = relation and next(_edges(row, relation), None)
    if not relation or not edge:
        return None
    given = {edge.src: iri_of(str(row[SRC])), edge.dst: iri_of(str(row[DST]))}
    more = dict(attributes)
    for name in relation.arguments:
        value = more.get(f"{OF_PROV}{name}")
        if name not in given and value is not None and (name not in TIMES or _TIME(value)):
            given[name] = value if name in TIMES else iri_of(value)
            del more[f"{OF_PROV}{name}"]
    id = more.pop(ID) if more.get(ID) else None
    if edge.src_table is None:
        more |= _tables(row)
    if relation.plain and (id or more or len(given) < len(relation.arguments)):
        return None
    named = {
        attribute_iri(name, own=name.removeprefix(OF_PROV) in _TERMS): values(text)
        for name, text in more.items()
    }
    return Found(relation, given, named, id and iri_of(id))


def _tables(row: Exported) -> dict[str, str]:
    return {name: str(row[name]) for name in (SRC_TABLE, DST_TABLE) if row[name]}


def _edges(row: Exported, relation: ProvRelation) -> Iterator[ProvEdge]:
    for edge in relation.edges:
        tables = ((edge.src_table, row[SRC_TABLE]), (edge.dst_table, row[DST_TABLE]))
        if all(wanted in (None, given) for wanted, given in tables):
            yield edge


def _as_derivation(row: Exported, attributes: Mapping[str, str]) -> Found:
    given = {"usedEntity": iri_of(str(row[SRC])), "generatedEntity": iri_of(str(row[DST]))}
    own = {OP: str(row[OP] or ""), **_tables(row)}
    named = {
        attribute_iri(name, own=name.startswith(OF_PROV) or name in own): [text]
        for name, text in {**attributes, **own}.items()
    }
    return Found(_DERIVED, given, named)
