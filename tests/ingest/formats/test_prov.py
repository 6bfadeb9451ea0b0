"""PROV-JSON, PROV-N and PROV-O have the triples that the package ``prov`` finds in them."""

import json
import re
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from prov.constants import PROV_N_MAP
from prov.identifier import Identifier
from prov.model import Literal, ProvBundle, ProvDocument, ProvRecord
from prov.tests import examples

from provhouse.ingest.formats.registry import batches, check
from provhouse.ingest.formats.source import Source
from provhouse.model.errors import BadInput
from provhouse.query.exporting.prov_forms import as_json, as_n, as_turtle
from provhouse.query.exporting.prov_statements import statement

Triple = tuple[str, str, str, frozenset[tuple[str, str]]]
ENDS = {
    "used": [("entity", "activity")],
    "wasGeneratedBy": [("activity", "entity")],
    "wasDerivedFrom": [("usedEntity", "generatedEntity")],
    "wasInformedBy": [("informant", "informed")],
    "wasStartedBy": [("trigger", "activity"), ("starter", "activity")],
    "specializationOf": [("generalEntity", "specificEntity")],
    "mentionOf": [("generalEntity", "specificEntity")],
    "hadMember": [("entity", "collection")],
    "wasInfluencedBy": [("influencer", "influencee")],
}
"""By relation, the arguments that are the src and dst of its triples."""
FORMS = {"prov-json": "provjson", "prov-n": "provn", "prov-o": "ttl"}
WRITERS = {"prov-json": as_json, "prov-n": as_n, "prov-o": as_turtle}
TESTS = Path(examples.__file__).parent
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?")
PROV = "http://www.w3.org/ns/prov#"


def read(path: Path, form: str) -> tuple[list[dict[str, Any]], Counter[str]]:
    """Return the rows of a document, as an export has them, and what was not read."""
    source, rows, unread = Source(str(path), form), list[dict[str, Any]](), Counter[str]()
    check(source)
    for batch in batches(source):
        for row, text in zip(batch.rows.to_pylist(), batch.attributes.to_pylist(), strict=True):
            rows.append({**row, "attributes": text})
        unread.update(batch.unread)
    return rows, unread


def triples(rows: Iterable[dict[str, Any]]) -> set[Triple]:
    return {
        (row["src"], row["dst"], row["op"], _attributes(json.loads(row["attributes"] or "{}")))
        for row in rows
    }


def _attributes(given: dict[str, str]) -> frozenset[tuple[str, str]]:
    return frozenset((name, _plain(text)) for name, text in given.items())


def _plain(text: str) -> str:
    """Return text with its times in one form, since the formats of ``prov`` have several."""
    return TIME.sub(lambda found: datetime.fromisoformat(found[0]).isoformat(), text)


def expected(document: ProvDocument) -> set[Triple]:
    """Return the triples of a document that ``prov`` has read."""
    found = set(_of_bundle(document, {}))
    for bundle in document.bundles:
        found |= set(_of_bundle(bundle, {"bundle": bundle.identifier.uri}))
    return found


def _of_bundle(bundle: ProvBundle, inside: dict[str, str]) -> Iterator[Triple]:
    for record in bundle.get_records():
        name = PROV_N_MAP[record.get_type()]
        given = {key.localpart: _text(value) for key, value in record.formal_attributes}
        for src, dst in ENDS.get(name, ()):
            if given.get(src) and given.get(dst):
                more = {f"prov:{k}": v for k, v in given.items() if v and k not in (src, dst)}
                own = {"prov:id": record.identifier.uri} if record.identifier else {}
                attributes = _attributes({**inside, **more, **own, **_extra(record)})
                yield given[src], given[dst], f"prov:{name}", attributes


def _extra(record: ProvRecord) -> dict[str, str]:
    found: dict[str, set[str]] = {}
    for key, value in record.extra_attributes:
        name = f"prov:{key.localpart}" if key.uri.startswith(PROV) else key.uri
        found.setdefault(name, set()).add(_text(value))
    return {
        name: json.dumps(sorted(texts), ensure_ascii=False) if len(texts) > 1 else texts.pop()
        for name, texts in found.items()
    }


def _text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, Identifier):
        return value.uri
    if isinstance(value, Literal):
        return value.value
    if isinstance(value, datetime):
        return value.isoformat()
    return json.dumps(value) if isinstance(value, bool | int | float) else str(value)


def parsed(text: str, form: str) -> ProvDocument:
    """Return a document that ``prov`` has read."""
    rdf = {"rdf_format": "turtle"} if form == "prov-o" else {}
    named = {"prov-json": "json", "prov-n": "provn", "prov-o": "rdf"}[form]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ProvDocument.deserialize(content=text, format=named, **rdf)


def agree(folder: Path, document: ProvDocument, form: str) -> None:
    """Check that a document in a form has the triples of ``prov``, and that writing keeps them."""
    path = folder / f"document.{FORMS[form]}"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        named = {"prov-json": "json", "prov-n": "provn", "prov-o": "rdf"}[form]
        rdf = {"rdf_format": "turtle"} if form == "prov-o" else {}
        path.write_text(document.serialize(format=named, **rdf), encoding="utf-8")
        wanted = expected(parsed(path.read_text(encoding="utf-8"), form))
    rows, _ = read(path, form)
    assert triples(rows) == wanted
    for other, write in WRITERS.items():
        again = folder / f"again.{FORMS[other]}"
        again.write_text("".join(write(lambda: map(statement, rows))), encoding="utf-8")
        assert triples(read(again, other)[0]) == triples(rows), other
        if rows:
            assert expected(parsed(again.read_text(encoding="utf-8"), other)), other


@pytest.mark.parametrize("form", FORMS)
def test_the_primer_has_the_triples_of_prov(tmp_path: Path, form: str) -> None:
    document = examples.primer_example()
    agree(tmp_path, document, form)


def documents(folder: str, ending: str) -> list[Path]:
    return sorted((TESTS / folder).rglob(f"*.{ending}"))


@pytest.mark.long
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("path", documents("json", "json"), ids=lambda path: path.stem)
def test_documents_of_the_tests_of_prov_round_trip(tmp_path: Path, path: Path, form: str) -> None:
    if form == "prov-o" and path.stem.startswith("scruffy"):
        pytest.skip("PROV-O cannot state two relations with one identifier")
    agree(tmp_path, parsed(path.read_text(encoding="utf-8"), "prov-json"), form)


@pytest.mark.long
@pytest.mark.parametrize("path", documents("provn", "provn"), ids=lambda path: path.stem)
def test_documents_in_prov_n_have_the_triples_of_prov(path: Path) -> None:
    try:
        wanted = expected(parsed(path.read_text(encoding="utf-8"), "prov-n"))
    except Exception as error:
        pytest.skip(f"prov does not read it: {error}")
    assert triples(read(path, "prov-n")[0]) == wanted


@pytest.mark.long
@pytest.mark.parametrize("path", documents("rdf", "t*"), ids=lambda path: path.name)
def test_documents_in_prov_o_have_the_triples_of_their_prov_json(path: Path) -> None:
    other = TESTS / "json" / f"{path.stem}.json"
    if not other.exists() or path.stem.startswith("scruffy"):
        pytest.skip("PROV-O cannot state two relations with one identifier, or there is no JSON")
    if path.suffix == ".ttl" and path.stem.startswith("bundle"):
        pytest.skip("Turtle has no bundles; the same document is there as TriG")
    wanted = expected(parsed(other.read_text(encoding="utf-8"), "prov-json"))
    assert triples(read(path, "prov-o")[0]) == wanted
