"""Read PROV-N one statement at a time: https://www.w3.org/TR/prov-n."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

import pyarrow as pa

from provhouse.model.errors import BadInput

from .compression import check_encoding, opened
from .made_rows import Row, batches_of, check_columns
from .prov_elements import Elements
from .prov_json import DATATYPES
from .prov_n_tokens import NoToken, ProvToken, name_of, text_of, tokens
from .prov_names import DEFAULT, KNOWN, attribute_of, expanded, expanded_value, item_of
from .prov_terms import BUNDLE, ELEMENTS, ID, RELATIONS, TIMES, Found
from .source import Batch, ReportBytes, Source, unreadable

_NONE = "-"
"""The mark for an argument that is left out."""


def check(source: Source) -> list[str]:
    """Return the columns of the triples; raise BadInput if the file does not begin as PROV-N."""
    with _reader(source.path, Counter(), Elements(), lambda _: None) as reader:
        reader.begin()
    return check_columns(source, ID, BUNDLE)


def batches(source: Source, report: ReportBytes) -> Iterator[Batch]:
    """Yield the relations that express lineage, as batches of triples."""
    unread, elements = Counter[str](), Elements()
    rows = elements.counted(_rows(source.path, unread, elements, report), unread)
    return batches_of(source, rows, unread)


def _rows(
    path: str, unread: Counter[str], elements: Elements, report: ReportBytes
) -> Iterator[Row]:
    with _reader(path, unread, elements, report) as reader:
        reader.begin()
        yield from reader.document()


@contextmanager
def _reader(
    path: str, unread: Counter[str], elements: Elements, report: ReportBytes
) -> Iterator["_Reader"]:
    check_encoding(path)
    stream, raw = opened(path)
    begun = [1]
    with stream:
        try:
            found = tokens(stream, lambda: report(raw.tell()), begun)
            reader = _Reader(path, found, unread, elements)
            yield reader
        except (NoToken, pa.ArrowException, OSError, EOFError, UnicodeError) as error:
            raise unreadable(f"{path}, line {begun[0]:,}", "PROV-N", error) from error
        except ValueError as error:
            raise unreadable(f"{path}, line {reader.line:,}", "PROV-N", error) from error


class _Reader:
    """A reader for the statements of a document."""

    def __init__(
        self, path: str, found: Iterator[ProvToken], unread: Counter[str], elements: Elements
    ) -> None:
        self._path, self._tokens, self._unread = path, found, unread
        self._elements = elements
        self._next = next(found)
        self.line = 1
        """The line of the last token that was read."""
        self._prefixes = dict(KNOWN)
        self._bundle: str | None = None

    def begin(self) -> None:
        """Read the beginning of the document."""
        self._expect("document")
        self._declarations()

    def document(self) -> Iterator[Row]:
        """Yield the triples of the document; ``begin`` must have been called."""
        outer = self._prefixes
        while (word := self._take("name")) != "endDocument":
            if word == "bundle":
                self._prefixes = dict(outer)
                name = self._take("name")
                self._declarations()
                self._bundle = item_of(self._iri(name))
            elif word == "endBundle":
                self._prefixes, self._bundle = outer, None
            else:
                yield from self._statement(word)
        self._expect("")

    def _declarations(self) -> None:
        while self._next.text in ("default", "prefix"):
            word = self._take("name")
            prefix = DEFAULT if word == "default" else self._take("name")
            self._prefixes[prefix] = self._take("iri")[1:-1]

    def _statement(self, word: str) -> Iterator[Row]:
        relation = RELATIONS.get(word)
        if relation is None and word not in ELEMENTS:
            raise BadInput(
                f"{self._path}, line {self.line:,}: {word} is not a supported relation",
                f"The relations are {', '.join(RELATIONS)}",
                "Nothing was ingested; remove it, or see docs/formats.md",
            )
        self._expect("(")
        names = relation.arguments if relation else ELEMENTS[word]
        given = [self._argument()]
        id = None
        if self._next.text == ";":
            self._advance()
            id, given = given[0], [self._argument()]
        attributes: dict[str, list[str]] = {}
        while self._next.text == ",":
            self._advance()
            if self._next.text == "[":
                attributes = self._attributes()
                break
            given.append(self._argument())
        self._expect(")")
        if len(given) > len(names):
            raise ValueError(f"{word} has {len(given)} arguments, but PROV defines {len(names)}")
        if relation is None:
            item = item_of(expanded_value(name_of(given[0]), self._prefixes))
            self._elements.add(word, item)
            self._count(word, attributes, len(given) - given.count(_NONE) - 1)
            return
        arguments = {
            name: value if name in TIMES else item_of(self._iri(value))
            for name, value in zip(names, given, strict=False)
            if value != _NONE
        }
        own = None if id in (None, _NONE) else item_of(self._iri(str(id)))
        yield from Found(relation, arguments, attributes, own, self._bundle).rows(self._unread)

    def _count(self, kind: str, attributes: dict[str, list[str]], times: int) -> None:
        if kind == "agent":
            self._unread[kind] += 1
        elif count := len(attributes) + times:
            self._unread[f"attributes of {kind}"] += count

    def _attributes(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        self._expect("[")
        while self._next.text != "]":
            name = attribute_of(self._iri(self._take("name")))
            self._expect("=")
            found.setdefault(name, []).append(self._literal())
            if self._next.text != "]":
                self._expect(",")
        self._expect("]")
        return found

    def _literal(self) -> str:
        """Read an attribute's value as a string; count it in ``unread`` if it had a type."""
        token = self._advance()
        if token.kind == "quoted":
            self._unread[DATATYPES] += 1
            return expanded_value(name_of(token.text[1:-1]), self._prefixes)
        if token.kind in ("number", "name"):
            self._unread[DATATYPES] += 1
            return token.text
        if token.kind != "text":
            raise ValueError(f"{token.text!r} is not a valid value of an attribute")
        text = text_of(token.text)
        kind = "xsd:string"
        if self._next.kind == "lang":
            kind = self._advance().text
        if self._next.kind == "typed":
            self._advance()
            typed = self._take("name")
            kind = typed if kind == "xsd:string" else kind
        if kind in ("prov:QUALIFIED_NAME", "xsd:QName"):
            text = expanded_value(text, self._prefixes)
        self._unread[DATATYPES] += kind != "xsd:string"
        return text

    def _argument(self) -> str:
        token = self._advance()
        if token.kind in ("name", "number") or token.text == _NONE:
            return token.text
        raise ValueError(f"{token.text!r} is not a valid argument of a relation")

    def _iri(self, name: str) -> str:
        return expanded(name_of(name), self._prefixes)

    def _take(self, kind: str) -> str:
        token = self._advance()
        if token.kind != kind:
            raise ValueError(_unexpected(token, f"a {kind}"))
        return token.text

    def _expect(self, text: str) -> None:
        token = self._next
        if token.text != text:
            raise ValueError(_unexpected(token, repr(text) if text else "the end of the document"))
        if text:
            self._advance()

    def _advance(self) -> ProvToken:
        token = self._next
        self.line = token.line
        self._next = next(self._tokens, ProvToken("mark", "", token.line))
        return token


def _unexpected(token: ProvToken, wanted: str) -> str:
    return f"Expected {wanted}. It is {token.text!r}" if token.text else "The document ends early"
