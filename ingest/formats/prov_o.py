"""Read PROV-O as Turtle, TriG, N-Triples or N-Quads: https://www.w3.org/TR/prov-o.

A relation may be one statement, such as ``e prov:wasDerivedFrom f``, or a node with attributes. The
statements about such a node may be anywhere in the file. So the file is parsed three times: first
for the nodes, then for the statements about nodes that have an IRI, and last for the relations that
are one statement. Relations that are one statement are not kept: only the nodes and their
statements are in memory.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pyarrow as pa

from provhouse.model.errors import BadInput
from provhouse.runtime.packages import Deferred

from .compression import check_encoding, opened
from .known_formats import COMPRESSED
from .made_rows import Row, batches_of, check_columns
from .prov_elements import Elements
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
from .source import Batch, ReportBytes, Source, unreadable

if TYPE_CHECKING:
    import pyoxigraph
else:
    pyoxigraph = Deferred("pyoxigraph")

_FORMS = {".ttl": "TURTLE", ".trig": "TRIG", ".nt": "N_TRIPLES", ".nq": "N_QUADS"}
_RELATING = DIRECT.keys() | INVERSE.keys() | QUALIFIED.keys()
"""The properties that are relations even if their subject is a node that describes a relation."""
_LABEL = f"{RDFS}label"


class RdfTerm(NamedTuple):
    """The subject or object of a statement: an IRI, or else a blank node, a literal or a triple."""

    text: str
    is_iri: bool
    typed: bool = False
    """Whether this is a literal that has a language, or a type other than string."""


class Statement(NamedTuple):
    """A statement, and the bundle that contains it."""

    subject: RdfTerm
    predicate: str
    object: RdfTerm
    bundle: str | None


class RdfDescription(NamedTuple):
    """A node that describes a relation of ``subject``; ``bundle`` is None outside of bundles."""

    qualified: Qualified
    subject: str
    bundle: str | None


def check(source: Source) -> list[str]:
    """Return the columns of the triples; raise BadInput if the document does not begin as RDF."""
    next(_statements(source.path), None)
    return check_columns(source, ID, BUNDLE)


def batches(source: Source, report: ReportBytes) -> Iterator[Batch]:
    """Yield the relations that express lineage, as batches of triples."""
    unread, elements = Counter[str](), Elements()
    reader = _Reader(source.path, unread, elements, report)
    return batches_of(source, elements.counted(reader.rows(), unread), unread)


class _Reader:
    """A reader for documents: it reads nodes that describe relations before all other relations."""

    def __init__(
        self, path: str, unread: Counter[str], elements: Elements, report: ReportBytes
    ) -> None:
        self._path, self._unread, self._report = path, unread, report
        self._elements = elements
        self._nodes: dict[str, list[RdfDescription]] = defaultdict(list)
        self._said: dict[str, list[Statement]] = defaultdict(list)
        self._stated: set[tuple[str, str, str, str | None]] = set()
        self._mentions: dict[str, str] = {}

    def rows(self) -> Iterator[Row]:
        """Yield the triples of the document."""
        for said in _statements(self._path):
            subject, name = said.subject, _prov(said.predicate)
            if name in QUALIFIED:
                found = RdfDescription(QUALIFIED[name], self._named(subject), said.bundle)
                self._nodes[said.object.text].append(found)
            elif name == "asInBundle":
                self._mentions[subject.text] = self._named(said.object)
            if not subject.is_iri:  # blank nodes have other names in the next parse
                self._said[subject.text].append(said)
        for said in _statements(self._path):
            if said.subject.is_iri and said.subject.text in self._nodes:
                self._said[said.subject.text].append(said)
        for key, nodes in self._nodes.items():
            for node in nodes:
                yield from self._qualified(key, node)
        for key, statements in self._said.items():
            for said in statements:
                if key not in self._nodes or _prov(said.predicate) in _RELATING:
                    yield from self._direct(said)
        for said in _statements(self._path, self._report):
            if said.subject.is_iri and said.subject.text not in self._nodes:
                yield from self._direct(said)

    def _qualified(self, key: str, node: RdfDescription) -> Iterator[Row]:
        relation = RELATIONS[node.qualified.relation]
        parts: dict[str, list[str]] = {}
        attributes: dict[str, list[str]] = defaultdict(list)
        if node.qualified.type:
            attributes[f"{OF_PROV}type"].append(f"{PROV}{node.qualified.type}")
        for _, predicate, value, _ in self._said[key]:
            name = _prov(predicate)
            if argument := node.qualified.parts.get(name):
                text = value.text if argument in TIMES else self._named(value)
                parts.setdefault(argument, []).append(text)
            elif name in _RELATING or (predicate == RDF_TYPE and _prov(value.text) in NODES):
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

    def _direct(self, said: Statement) -> Iterator[Row]:
        """Yield the triple of a statement, unless a node has already described the relation."""
        name = _prov(said.predicate)
        if name not in DIRECT and name not in INVERSE:
            self._count(name, said)
            return
        relation, subject, object = DIRECT.get(name) or INVERSE[name]
        ends = {subject: self._named(said.subject), object: self._named(said.object)}
        first, second = (ends[each] for each in DIRECT[relation][1:])
        if (relation, first, second, said.bundle) in self._stated:
            return
        attributes = {}
        if name in SUBTYPES:
            attributes[f"{OF_PROV}type"] = [f"{PROV}{SUBTYPES[name]}"]
        if name == "mentionOf" and said.subject.text in self._mentions:
            ends["bundle"] = self._mentions[said.subject.text]
        found = Found(RELATIONS[relation], ends, attributes, None, said.bundle)
        yield from found.rows(self._unread)

    def _count(self, name: str, said: Statement) -> None:
        """Count a statement that is not a relation; refuse it if its PROV property is unknown."""
        if name in QUALIFIED or name == "asInBundle":
            return
        if said.predicate == RDF_TYPE:
            kind = _prov(said.object.text)
            if kind == "Agent":
                self._unread["agent"] += 1
            elif kind in ("Entity", "Activity"):
                self._elements.add(kind.lower(), item_of(said.subject.text))
            else:
                self._unread["attributes of elements"] += 1
        elif not name or name in OF_ELEMENTS:
            self._unread["attributes of elements"] += 1
        elif name in PARTS:
            self._unread[f"prov:{name} of no relation"] += 1
        else:
            raise BadInput(
                f"{self._path}: prov:{name} is not a supported relation",
                f"Its subject is {said.subject.text:.100}",
                "Nothing was ingested; remove it, or see docs/formats.md",
            )

    def _named(self, term: RdfTerm) -> str:
        """Return the name of an item; refuse a blank node, whose label is local to its file."""
        if not term.is_iri:
            raise BadInput(
                f"{self._path}: an entity or activity has no IRI",
                f"It is {term.text:.100}",
                "Nothing was ingested; give it an IRI",
            )
        return item_of(term.text)

    def _attribute(self, predicate: str, name: str) -> str:
        if predicate == RDF_TYPE:
            return f"{OF_PROV}type"
        if predicate == _LABEL:
            return f"{OF_PROV}label"
        return f"{OF_PROV}{NAMES.get(name, name)}" if name else attribute_of(predicate)

    def _text(self, value: RdfTerm) -> str:
        """Return an attribute's value as a string; count it in ``unread`` if it had a type."""
        self._unread[DATATYPES] += value.is_iri or value.typed
        return value.text


def _statements(path: str, report: ReportBytes = lambda _: None) -> Iterator[Statement]:
    """Yield the statements of a file; raise BadInput with the line of an error."""
    check_encoding(path)
    stream, raw = opened(path)
    form = getattr(pyoxigraph.RdfFormat, _FORMS.get(_ending(path), "TURTLE"))
    with stream:
        try:
            for number, quad in enumerate(pyoxigraph.parse(input=stream, format=form)):
                graph = _term(quad.graph_name)
                bundle = item_of(graph.text) if graph.is_iri else None
                yield Statement(
                    _term(quad.subject), quad.predicate.value, _term(quad.object), bundle
                )
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
    """Return the local name of a PROV term, or an empty string for any other IRI."""
    return iri.removeprefix(PROV) if iri.startswith(PROV) else ""


def _term(given: object) -> RdfTerm:
    if isinstance(given, pyoxigraph.NamedNode):
        return RdfTerm(given.value, True)
    if isinstance(given, pyoxigraph.Literal):
        plain = given.datatype.value == f"{XSD}string"
        return RdfTerm(given.value, False, not plain)
    return RdfTerm(str(given), False)
