"""Read PROV-JSON, which CWLProv uses: https://www.w3.org/submissions/prov-json.

The document is read twice, because prefixes may be declared after the names that use them. In the
second pass, only one relation at a time is in memory.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping

from .json_stream import JsonStream, json_stream
from .made_rows import Row, batches_of, check_columns
from .prov_elements import Elements
from .prov_names import DEFAULT, KNOWN, attribute_of, expanded, expanded_value, item_of
from .prov_terms import BUNDLE, ELEMENTS, ID, OF_PROV, RELATIONS, TIMES, Found, Relation
from .source import Batch, ReportBytes, Source

DATATYPES = "datatypes and languages of values"
"""The name under which ``unread`` counts values whose type or language is lost."""
_NAMES = ("prov:QUALIFIED_NAME", "xsd:QName")
Prefixes = dict[str, str]


def check(source: Source) -> list[str]:
    """Return the columns of the triples; raise BadInput if the document is not PROV-JSON."""
    _prefixes(source.path)
    return check_columns(source, ID, BUNDLE)


def batches(source: Source, report: ReportBytes) -> Iterator[Batch]:
    """Yield the relations that express lineage, as batches of triples."""
    unread, elements = Counter[str](), Elements()
    rows = elements.counted(_rows(source.path, unread, elements, report), unread)
    return batches_of(source, rows, unread)


def _prefixes(path: str) -> dict[str | None, Prefixes]:
    """Return the prefixes that each bundle declares, and the document's prefixes under None."""
    found: dict[str | None, Prefixes] = {None: {}}
    with json_stream(path) as stream:
        for section in stream.members():
            if section == "prefix":
                found[None] |= _declared(stream)
            elif section == "bundle":
                for name in stream.members():
                    found[name] = found.get(name, {}) | _of_bundle(stream)
            elif section in RELATIONS or section in ELEMENTS:
                stream.skip()
            else:
                raise stream.refused(
                    f"{section!r} is no relation of PROV-JSON",
                    f"The relations are {', '.join(RELATIONS)}",
                )
        stream.finish()
    return found


def _of_bundle(stream: JsonStream) -> Prefixes:
    found: Prefixes = {}
    for section in stream.members():
        if section == "prefix":
            found |= _declared(stream)
        else:
            stream.skip()
    return found


def _declared(stream: JsonStream) -> Prefixes:
    declared = stream.object()
    if not all(isinstance(iri, str) for iri in declared.values()):
        raise stream.refused("a namespace is not text", f"It is {json.dumps(declared):.100}")
    return {DEFAULT if key == "default" else key: str(iri) for key, iri in declared.items()}


def _rows(
    path: str, unread: Counter[str], elements: Elements, report: ReportBytes
) -> Iterator[Row]:
    declared = _prefixes(path)
    prefixes = {**KNOWN, **declared[None]}
    with json_stream(path, report) as stream:
        for section in stream.members():
            if section == "prefix":
                stream.skip()
            elif section == "bundle":
                for name in stream.members():
                    inside = {**prefixes, **declared[name]}
                    bundle = item_of(expanded(name, inside))
                    reader = _Reader(stream, inside, unread, elements, bundle)
                    for each in stream.members():
                        yield from reader.section(each)
            else:
                yield from _Reader(stream, prefixes, unread, elements).section(section)


class _Reader:
    """A reader of the sections of a document, or of one of its bundles."""

    def __init__(
        self,
        stream: JsonStream,
        prefixes: Mapping[str, str],
        unread: Counter[str],
        elements: Elements,
        bundle: str | None = None,
    ) -> None:
        self._stream, self._prefixes, self._unread = stream, prefixes, unread
        self._elements, self._bundle = elements, bundle

    def section(self, name: str) -> Iterator[Row]:
        """Yield the triples of a section; count the attributes of declared elements as unread."""
        if name == "prefix":
            self._stream.skip()
        elif name in ELEMENTS:
            for key in self._stream.members():
                self._elements.add(name, item_of(expanded_value(key, self._prefixes)))
                self._count(name)
        elif name in RELATIONS:
            for key in self._stream.members():
                for stated in _listed(self._stream.value()):
                    yield from self._relation(RELATIONS[name], key, stated)
        else:
            raise self._stream.refused(
                f"{name!r} is no relation of PROV-JSON",
                f"The relations are {', '.join(RELATIONS)}",
            )

    def _count(self, kind: str) -> None:
        stated = _listed(self._stream.value())
        if kind not in ("entity", "activity"):
            self._unread[kind] += 1
        elif count := sum(map(len, stated)):
            self._unread[f"attributes of {kind}"] += count

    def _relation(self, relation: Relation, key: str, stated: dict[str, object]) -> Iterator[Row]:
        arguments = {
            name: self._arguments(name, stated[f"{OF_PROV}{name}"])
            for name in relation.arguments
            if f"{OF_PROV}{name}" in stated
        }
        attributes = {
            attribute_of(self._iri(name)): [self._text(value) for value in _values(given)]
            for name, given in stated.items()
            if name.removeprefix(OF_PROV) not in relation.arguments
        }
        id = None if key.startswith("_:") else item_of(self._iri(key))
        for one in _products(arguments):
            yield from Found(relation, one, attributes, id, self._bundle).rows(self._unread)

    def _arguments(self, name: str, given: object) -> list[str]:
        """Return the values of an argument: a single value, except for members of a collection."""
        values = _values(given)
        if not all(isinstance(value, str) for value in values):
            values = [value["$"] if isinstance(value, dict) else value for value in values]
        if name in TIMES:
            return [str(value) for value in values]
        return [item_of(self._iri(value)) for value in values]

    def _iri(self, name: object) -> str:
        if not isinstance(name, str):
            raise self._stream.refused("a name is not text", f"It is {json.dumps(name):.100}")
        try:
            return expanded(name, self._prefixes)
        except ValueError as error:
            raise self._stream.refused("a name has no IRI", str(error)) from error

    def _text(self, value: object) -> str:
        """Return an attribute's value as a string; count it in ``unread`` if it had a type."""
        if isinstance(value, str):
            return value
        self._unread[DATATYPES] += 1
        if not isinstance(value, dict):
            return json.dumps(value)
        text, kind = value.get("$"), value.get("type")
        if not isinstance(text, str):
            text = json.dumps(text)
        return expanded_value(text, self._prefixes) if kind in _NAMES else text


def _listed(stated: object) -> list[dict[str, object]]:
    """Return the statements under one identifier, whose value is an object or a list of objects."""
    found: list[object] = stated if isinstance(stated, list) else [stated]
    made = [each for each in found if isinstance(each, dict)]
    if len(made) < len(found):
        raise ValueError("A statement is not an object in braces")
    return made


def _values(given: object) -> list[object]:
    return given if isinstance(given, list) else [given]


def _products(arguments: Mapping[str, list[str]]) -> Iterator[dict[str, str]]:
    """Yield, for each combination of the given values, the arguments with single values."""
    made: list[dict[str, str]] = [{}]
    for name, values in arguments.items():
        made = [{**one, name: value} for one in made for value in values]
    yield from made
