"""Write relations in the formats PROV-JSON, PROV-N and PROV-O (Turtle)."""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import count

from provhouse.ingest.formats.prov_names import PROV, XSD, attribute_iri, is_iri, item_of
from provhouse.ingest.formats.prov_o_terms import DIRECT, QUALIFIED
from provhouse.ingest.formats.prov_terms import ID, OF_PROV, RELATIONS, TIMES, Found

Statements = Callable[[], Iterable[Found]]
"""A function that returns all relations; it can be called more than once."""
_LOCAL = re.compile(r"(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})(?:[A-Za-z0-9_.-]|%[0-9A-Fa-f]{2})*(?<!\.)$")
_NAMED = (f"{PROV}type", f"{PROV}role")
"""The attributes whose values are written as names if they are IRIs."""
_QUALIFIED = {each.relation: (name, each) for name, each in reversed(QUALIFIED.items())}
"""For each relation, its PROV-O property that leads to a node, and the node's description."""


class Names:
    """The prefixes that were given to the namespaces of IRIs."""

    def __init__(self) -> None:
        self._prefixes = {PROV: "prov"}

    @property
    def declared(self) -> dict[str, str]:
        """The namespace of each prefix, except the prefix of PROV."""
        return {prefix: space for space, prefix in self._prefixes.items() if space != PROV}

    def qualified(self, iri: str) -> str:
        """Return the qualified name of an IRI."""
        found = _LOCAL.search(iri, max(map(iri.rfind, "/#:")) + 1)
        at = found.start() if found else len(iri)
        if iri.startswith(PROV):
            at = len(PROV)
        prefix = self._prefixes.setdefault(iri[:at], f"ns{len(self._prefixes)}")
        return f"{prefix}:{iri[at:]}"

    def learn(self, found: Found) -> None:
        """Assign a prefix to each namespace in a relation."""
        names = [iri for name, iri in found.arguments.items() if name not in TIMES]
        of_values = [
            text for name in _NAMED for text in found.attributes.get(name, ()) if is_iri(text)
        ]
        for iri in (*names, *found.attributes, *of_values, *([found.id] if found.id else [])):
            self.qualified(iri)


def as_json(statements: Statements) -> Iterator[str]:
    """Yield PROV-JSON, relation by relation."""
    names, present = _learned(statements)
    yield '{"prefix": ' + json.dumps({**names.declared, "xsd": XSD}, ensure_ascii=False)
    anonymous = count(1)
    for relation in RELATIONS:
        if relation not in present:
            continue
        yield f',\n"{relation}": {{'
        comma = "\n"
        for found in _identified(statements()):
            if found.relation.name != relation:
                continue
            key = names.qualified(found.id) if found.id else f"_:{next(anonymous)}"
            content = _json_content(found, names)
            yield f"{comma}{json.dumps(key, ensure_ascii=False)}: {content}"
            comma = ",\n"
        yield "}"
    yield "}\n"


def _json_content(found: Found, names: Names) -> str:
    content: dict[str, object] = {
        f"{OF_PROV}{name}": value if name in TIMES else names.qualified(value)
        for name, value in found.arguments.items()
    }
    for iri, texts in found.attributes.items():
        made = [
            {"$": names.qualified(text), "type": "prov:QUALIFIED_NAME"}
            if iri in _NAMED and is_iri(text)
            else text
            for text in texts
        ]
        content[names.qualified(iri)] = made if len(made) > 1 else made[0]
    return json.dumps(content, ensure_ascii=False)


def as_n(statements: Statements) -> Iterator[str]:
    """Yield PROV-N, with one relation per line."""
    names, _ = _learned(statements)
    yield "document\n"
    for prefix, space in names.declared.items():
        yield f"prefix {prefix} <{space}>\n"
    for found in _identified(statements()):
        arguments = [
            (value if name in TIMES else names.qualified(value)) if value else "-"
            for name in found.relation.arguments
            for value in [found.arguments.get(name)]
        ]
        pairs = [
            f"{names.qualified(iri)}={_n_literal(iri, text, names)}"
            for iri, texts in found.attributes.items()
            for text in texts
        ]
        id = f"{names.qualified(found.id)}; " if found.id else ""
        attributes = f", [{', '.join(pairs)}]" if pairs else ""
        yield f"{found.relation.name}({id}{', '.join(arguments)}{attributes})\n"
    yield "endDocument\n"


def _n_literal(iri: str, text: str, names: Names) -> str:
    if iri in _NAMED and is_iri(text):
        return f"'{names.qualified(text)}'"
    for character, escaped in (("\\", "\\\\"), ('"', '\\"'), ("\n", "\\n"), ("\r", "\\r")):
        text = text.replace(character, escaped)
    return f'"{text}"'


def as_turtle(statements: Statements) -> Iterator[str]:
    """Yield PROV-O as Turtle, with one relation per line."""
    names, _ = _learned(statements)  # readers that know only qualified names need the prefixes
    for prefix, space in {"prov": PROV, "xsd": XSD, **names.declared}.items():
        yield f"@prefix {prefix}: <{space}> .\n"
    for found in _identified(statements()):
        name = found.relation.name
        _, subject, object = DIRECT[name]
        given = found.arguments
        whole = subject in given and object in given
        if whole:
            yield f"<{given[subject]}> prov:{name} <{given[object]}> .\n"
        if found.relation.plain:
            if "bundle" in given:
                yield f"<{given[subject]}> prov:asInBundle <{given['bundle']}> .\n"
        elif not whole or found.attributes or found.id or len(given) > 2:
            yield _turtle_node(found)


def _turtle_node(found: Found) -> str:
    property, described = _QUALIFIED[found.relation.name]
    terms = {argument: term for term, argument in reversed(described.parts.items())}
    parts = [f"a prov:{described.node}"]
    for name, value in found.arguments.items():
        if name != described.subject:
            text = f'"{value}"^^xsd:dateTime' if name in TIMES else f"<{value}>"
            parts.append(f"prov:{terms[name]} {text}")
    for iri, texts in found.attributes.items():
        term = {f"{PROV}type": "a", f"{PROV}role": "prov:hadRole"}.get(iri, f"<{iri}>")
        for text in texts:
            named = iri in _NAMED and is_iri(text)
            literal = json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007F")
            parts.append(f"{term} {f'<{text}>' if named else literal}")
    subject = found.arguments[described.subject]
    about = "; ".join(parts)
    if found.id:
        return f"<{subject}> prov:{property} <{found.id}> .\n<{found.id}> {about} .\n"
    return f"<{subject}> prov:{property} [ {about} ] .\n"


def _identified(statements: Iterable[Found]) -> Iterator[Found]:
    """Yield relations with distinct identifiers.

    If two triples come from the same relation, it is yielded once. If different relations have the
    same identifier, for example because they come from two documents, only the first relation keeps
    it as its identifier; the others get it as an attribute.
    """
    seen: dict[str, int] = {}
    for found in statements:
        if found.id is None:
            yield found
            continue
        mark = hash(repr((found.relation.name, sorted(found.arguments.items()), found.attributes)))
        if found.id not in seen:
            seen[found.id] = mark
            yield found
        elif seen[found.id] != mark:
            more = {attribute_iri(ID, own=True): [item_of(found.id)]}
            yield replace(found, id=None, attributes={**found.attributes, **more})


def _learned(statements: Statements) -> tuple[Names, set[str]]:
    names, present = Names(), set[str]()
    for found in _identified(statements()):
        names.learn(found)
        present.add(found.relation.name)
    return names, present
