"""Read PROV-O as Turtle, TriG, N-Triples or N-Quads: https://www.w3.org/TR/prov-o.

A relation may be one statement, such as ``e prov:wasDerivedFrom f``, or a node with attributes, the
statements about which may stand anywhere. So the file is parsed three times: for the nodes, for the
statements about those with an IRI, and for the relations of one statement, which stream. Only the
nodes and their statements are in memory.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pyarrow as pa

from provhouse.model.errors import BadInput
from provhouse.runtime.packages import Deferred

from .compression import check_encoding, opened
from .made_rows import Row, batches_of, check_columns
from .prov_json import DATATYPES
from .prov_names import PROV, RDFS, XSD, attribute_of, item_of
from .prov_o_terms import (
    DIRECT,
    INVERSE,
    NAMES,
    NODES,
    OF_ELEMENTS,
    PARTS,
    QUALIFIED,
    RDF_TYPE,
    SUBTYPES,
    Qualified,
)
from .prov_terms import BUNDLE, ID, OF_PROV, RELATIONS, TIMES, Found
from .registry import COMPRESSED
from .source import Batch, ReportBytes, Source, unreadable

if TYPE_CHECKING:
    import pyoxigraph
else:
    pyoxigraph = Deferred("pyoxigraph")

_FORMS = {".ttl": "TURTLE", ".trig": "TRIG", ".nt": "N_TRIPLES", ".nq": "N_QUADS"}
_RELATING = DIRECT.keys() | INVERSE.keys() | QUALIFIED.keys()
"""The properties that are relations, also of a node that is an item too."""
_LABEL = f"{RDFS}label"


class Described(NamedTuple):
    """A node that describes a relation of ``subject``, in a bundle or None."""

    qualified: Qualified
    subject: str
    bundle: str | None


def check(source: Source) -> list[str]:
    """Return the columns of the triples; raise BadInput if the document does not begin as RDF."""
    next(_quads(source.path, lambda _: None), None)
    return check_columns(source, ID, BUNDLE)


def batches(source: Source, report: ReportBytes) -> Iterator[Batch]:
    """Yield the relations that are lineage, as batches of triples."""
    unread = Counter[str]()
    return batches_of(source, _Reader(source.path, unread, report).rows(), unread)


class _Reader:
    """A reader of a document: first the nodes that describe relations, then all other relations."""

    def __init__(self, path: str, unread: Counter[str], report: ReportBytes) -> None:
        self._path, self._unread, self._report = path, unread, report
        self._nodes: dict[str, list[Described]] = defaultdict(list)
        self._said: dict[str, list[pyoxigraph.Quad]] = defaultdict(list)
        self._stated: set[tuple[str, str, str, str | None]] = set()
        self._mentions: dict[str, str] = {}

    def rows(self) -> Iterator[Row]:
        """Yield the triples of the document."""
        for quad in _quads(self._path):
            name = _prov(quad.predicate.value)
            if name in QUALIFIED:
                found = Described(QUALIFIED[name], self._named(quad.subject), _bundle(quad))
                self._nodes[_key(quad.object)].append(found)
            elif name == "asInBundle":
                self._mentions[quad.subject.value] = item_of(quad.object.value)
            if not _is_iri(quad.subject):  # blank nodes have other names in the next parse
                self._said[_key(quad.subject)].append(quad)
        for quad in _quads(self._path):
            if _is_iri(quad.subject) and quad.subject.value in self._nodes:
                self._said[quad.subject.value].append(quad)
        for key, nodes in self._nodes.items():
            for node in nodes:
                yield from self._qualified(key, node)
        for key, quads in self._said.items():
            for quad in quads:
                if key not in self._nodes or _prov(quad.predicate.value) in _RELATING:
                    yield from self._direct(quad)
        for quad in _quads(self._path, self._report):
            if _is_iri(quad.subject) and quad.subject.value not in self._nodes:
                yield from self._direct(quad)

    def _qualified(self, key: str, node: Described) -> Iterator[Row]:
        relation = RELATIONS[node.qualified.relation]
        parts: dict[str, list[str]] = {}
        attributes: dict[str, list[str]] = defaultdict(list)
        if node.qualified.type:
            attributes[f"{OF_PROV}type"].append(f"{PROV}{node.qualified.type}")
        for quad in self._said[key]:
            predicate, value = quad.predicate.value, quad.object
            name = _prov(predicate)
            if argument := node.qualified.parts.get(name):
                text = value.value if argument in TIMES else self._named(value)
                parts.setdefault(argument, []).append(text)
            elif name in _RELATING or (predicate == RDF_TYPE and _prov(value.value) in NODES):
                continue
            else:
                attributes[self._attribute(predicate, name)].append(self._text(value))
        own = None if key.startswith("_:") else item_of(key)
        made: list[dict[str, str]] = [{node.qualified.subject: node.subject}]
        for argument, values in parts.items():
            made = [{**one, argument: value} for one in made for value in values]
        for arguments in made:
            for argument in arguments.values():
                self._stated.add((relation.name, node.subject, argument, node.bundle))
            yield from Found(relation, arguments, attributes, own, node.bundle).rows(self._unread)

    def _direct(self, quad: "pyoxigraph.Quad") -> Iterator[Row]:
        """Yield the triple of a statement, unless a node has described the relation."""
        name = _prov(quad.predicate.value)
        if name not in DIRECT and name not in INVERSE:
            self._count(name, quad)
            return
        relation, subject, object = DIRECT.get(name) or INVERSE[name]
        bundle = _bundle(quad)
        ends = {subject: self._named(quad.subject), object: self._named(quad.object)}
        first, second = (ends[each] for each in DIRECT[relation][1:])
        if (relation, first, second, bundle) in self._stated:
            return
        attributes = {}
        if name in SUBTYPES:
            attributes[f"{OF_PROV}type"] = [f"{PROV}{SUBTYPES[name]}"]
        if name == "mentionOf" and quad.subject.value in self._mentions:
            ends["bundle"] = self._mentions[quad.subject.value]
        yield from Found(RELATIONS[relation], ends, attributes, None, bundle).rows(self._unread)

    def _count(self, name: str, quad: "pyoxigraph.Quad") -> None:
        """Count a statement that is no relation; refuse an unknown one of PROV."""
        if name in QUALIFIED or name == "asInBundle":
            return
        if quad.predicate.value == RDF_TYPE:
            kind = _prov(quad.object.value) if _is_iri(quad.object) else ""
            if kind == "Agent":
                self._unread["agent"] += 1
            elif kind not in ("Entity", "Activity"):
                self._unread["attributes of elements"] += 1
        elif not name or name in OF_ELEMENTS:
            self._unread["attributes of elements"] += 1
        elif name in PARTS:
            self._unread[f"prov:{name} of no relation"] += 1
        else:
            raise BadInput(
                f"{self._path}: prov:{name} is no relation that is read",
                f"It stands at {quad.subject.value:.100}",
                "Nothing was ingested; remove it, or see docs/formats.md",
            )

    def _named(self, term: "pyoxigraph.Term") -> str:
        """Return the name of an item; refuse a blank node, which has none outside the document."""
        if not _is_iri(term):
            raise BadInput(
                f"{self._path}: an entity or activity has no IRI",
                f"It is {str(term):.100}",
                "Nothing was ingested; give it an IRI",
            )
        return item_of(term.value)

    def _attribute(self, predicate: str, name: str) -> str:
        if predicate == RDF_TYPE:
            return f"{OF_PROV}type"
        if predicate == _LABEL:
            return f"{OF_PROV}label"
        return f"{OF_PROV}{NAMES.get(name, name)}" if name else attribute_of(predicate)

    def _text(self, value: "pyoxigraph.Term") -> str:
        """Return the value of an attribute as text, and count the loss of its type."""
        if not isinstance(value, pyoxigraph.Literal):
            self._unread[DATATYPES] += 1
            return str(value.value)
        if value.language or value.datatype.value != f"{XSD}string":
            self._unread[DATATYPES] += 1
        return str(value.value)


def _quads(path: str, report: ReportBytes = lambda _: None) -> "Iterator[pyoxigraph.Quad]":
    """Yield the statements of a file; raise BadInput with the line of an error."""
    check_encoding(path)
    stream, raw = opened(path)
    form = getattr(pyoxigraph.RdfFormat, _FORMS.get(_ending(path), "TURTLE"))
    with stream:
        try:
            for number, quad in enumerate(pyoxigraph.parse(input=stream, format=form)):
                yield quad
                if not number % 4096:
                    report(raw.tell())
        except SyntaxError as error:
            place = f"{path}, line {error.lineno:,}" if error.lineno else path
            raise unreadable(place, "RDF", error) from error
        except (pa.ArrowException, OSError, EOFError, ValueError) as error:
            raise unreadable(path, "RDF", error) from error


def _ending(path: str) -> str:
    name = Path(path.lower())
    return (name.with_suffix("") if name.suffix in COMPRESSED else name).suffix


def _prov(iri: str) -> str:
    """Return the local name of a term of PROV, or an empty string."""
    return iri.removeprefix(PROV) if iri.startswith(PROV) else ""


def _is_iri(term: "pyoxigraph.Term") -> bool:
    return isinstance(term, pyoxigraph.NamedNode)


def _key(term: "pyoxigraph.Term") -> str:
    return term.value if _is_iri(term) else str(term)


def _bundle(quad: "pyoxigraph.Quad") -> str | None:
    graph = quad.graph_name
    return item_of(graph.value) if _is_iri(graph) else None
