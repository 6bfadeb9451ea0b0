"""PROV-JSON, PROV-N and PROV-O give the triples that the package ``prov`` finds in them."""

import json
import re
import tempfile
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from prov.constants import PROV_N_MAP
from prov.identifier import Identifier
from prov.model import Literal, ProvActivity, ProvBundle, ProvDocument, ProvEntity, ProvRecord
from prov.tests import examples

from provhouse.ingest.formats.known_formats import batches, check
from provhouse.ingest.formats.source import Source
from provhouse.model.attributes import as_object
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
"""By relation, the arguments that become the src and dst of its triples."""
FORMS = {"prov-json": "provjson", "prov-n": "provn", "prov-o": "ttl"}
NAMED = {"prov-json": "json", "prov-n": "provn", "prov-o": "rdf"}
WRITERS = {"prov-json": as_json, "prov-n": as_n, "prov-o": as_turtle}
TESTS = Path(examples.__file__).parent
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?")
NOON = "2025-01-01T12:00:00"
PROV = "http://www.w3.org/ns/prov#"


def read(path: Path, form: str) -> tuple[list[dict[str, Any]], Counter[str]]:
    """Return the rows of a document, as in an export, and the unread parts."""
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
    """Return text with its times in one format, since ``prov`` writes times in several formats."""
    return TIME.sub(lambda found: datetime.fromisoformat(found[0]).isoformat(), text)


def expected(document: ProvDocument) -> set[Triple]:
    """Return the triples of a document that ``prov`` has read."""
    found = set(_of_bundle(document, {}))
    for bundle in document.bundles:
        assert bundle.identifier
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
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ProvDocument.deserialize(content=text, format=NAMED[form], **rdf)


def serialized(document: ProvDocument, form: str) -> str:
    """Return a document as ``prov`` writes it."""
    rdf = {"rdf_format": "turtle"} if form == "prov-o" else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return str(document.serialize(format=NAMED[form], **rdf))


def agree(folder: Path, document: ProvDocument, form: str) -> None:
    """Check that a document gives the triples that ``prov`` finds, and that writing keeps them."""
    path = folder / f"document.{FORMS[form]}"
    path.write_text(serialized(document, form), encoding="utf-8")
    rows, _ = read(path, form)
    assert triples(rows) == expected(parsed(path.read_text(encoding="utf-8"), form))
    for other, write in WRITERS.items():
        again = folder / f"again.{FORMS[other]}"
        again.write_text("".join(write(lambda: map(statement, rows))), encoding="utf-8")
        assert triples(read(again, other)[0]) == triples(rows), other
        if rows:
            assert expected(parsed(again.read_text(encoding="utf-8"), other)), other


@pytest.mark.parametrize("form", FORMS)
def test_the_primer_has_the_triples_of_prov(tmp_path: Path, form: str) -> None:
    document = examples.primer_example()  # type: ignore[no-untyped-call]
    agree(tmp_path, document, form)


# After the example of https://w3id.org/cwl/prov: a workflow, its step, and files by their hashes.
CWLPROV = {
    "used": {"_:u": {"prov:activity": "id:step", "prov:entity": "id:in", "prov:time": NOON,
                     "prov:role": {"$": "wf:main/input", "type": "prov:QUALIFIED_NAME"}}},
    "wasGeneratedBy": {"_:g": {"prov:entity": "id:out", "prov:activity": "id:step"},
                       "_:h": {"prov:entity": "id:lost"}},
    "wasStartedBy": {"_:s": {"prov:activity": "id:step", "prov:starter": "id:run"}},
    "wasEndedBy": {"_:e": {"prov:activity": "id:step", "prov:ender": "id:run"}},
    "specializationOf": {"_:f": {"prov:specificEntity": "id:in", "prov:generalEntity": "data:1"}},
    "wasAssociatedWith": {"_:a": {"prov:activity": "id:step", "prov:agent": "id:engine"}},
    "agent": {"id:engine": {"prov:label": "cwltool"}},
    "activity": {"id:step": {"prov:startTime": NOON, "prov:label": "Run of main"}},
    "entity": {"id:in": [{}, {"prov:value": True}]},
    "prefix": {"id": "urn:uuid:", "data": "urn:hash::sha1:", "wf": "http://example.org/wf#"},
}  # fmt: skip


def test_cwlprov_has_what_steps_read_and_write(tmp_path: Path) -> None:
    path = tmp_path / "primary.cwlprov.json"
    path.write_text(json.dumps(CWLPROV))
    rows, unread = read(path, "prov-json")
    more = {"prov:time": NOON, "prov:role": "http://example.org/wf#main/input"}
    assert triples(rows) == {
        ("urn:uuid:in", "urn:uuid:step", "prov:used", _attributes(more)),
        ("urn:uuid:step", "urn:uuid:out", "prov:wasGeneratedBy", frozenset()),
        ("urn:uuid:run", "urn:uuid:step", "prov:wasStartedBy", frozenset()),
        ("urn:hash::sha1:1", "urn:uuid:in", "prov:specializationOf", frozenset()),
    }
    assert [(row["src_table"], row["dst_table"]) for row in rows] == [
        ("entity", "activity"), ("activity", "entity"), ("activity", "activity"),
        ("entity", "entity"),
    ]  # fmt: skip
    assert unread == {
        "agent": 1, "attributes of activity": 2, "attributes of entity": 1, "wasEndedBy": 1,
        "wasAssociatedWith": 1, "wasGeneratedBy without an end": 1,
        "datatypes and languages of values": 1,
    }  # fmt: skip


def test_every_form_counts_what_is_not_read(tmp_path: Path) -> None:
    document = examples.primer_example()  # type: ignore[no-untyped-call]
    document.entity("ex:lone")
    document.activity("ex:idle")
    found = {}
    for form, ending in FORMS.items():
        path = tmp_path / f"p.{ending}"
        path.write_text(serialized(document, form))
        found[form] = read(path, form)[1]
    records = [PROV_N_MAP[record.get_type()] for record in document.get_records()]
    for name in ("agent", "wasAttributedTo", "wasAssociatedWith", "alternateOf"):
        for form, unread in found.items():
            assert unread[name] == records.count(name), (name, form)
    ends = {name for triple in expected(document) for name in triple[:2]}
    for kind, known in (("entity", ProvEntity), ("activity", ProvActivity)):
        lone = {record.identifier.uri for record in document.get_records(known)} - ends
        assert lone
        for form, unread in found.items():
            assert unread[f"{kind} in no triple"] == len(lone), form


@pytest.mark.parametrize(
    ("form", "text", "reported"),
    [
        ("prov-json", '{"used": {"_:u": {"prov:activity": "x:a", "prov:entity": "x:e"}}}',
         "a name has no IRI\nThe prefix x of x:a is not declared"),
        ("prov-json", '{\n"hadDictionaryMember": {}}',
         "line 2: 'hadDictionaryMember' is no relation of PROV-JSON"),
        ("prov-json", '{"used": {"_:u": 3}}', "line 1: not readable as JSON"),
        ("prov-n", "document\nused(a, b, -)\nendDocument", "line 2: not readable as PROV-N"),
        ("prov-n", "document\n\nprov:derivedByInsertionFrom(a, b, {})\nendDocument",
         "line 3: prov:derivedByInsertionFrom is not a supported relation"),
        ("prov-n", "document\nagent(prov:a)\n", "line 3: not readable as PROV-N"),
        ("prov-n", "document agent(prov:a, [prov:b=\"c]) endDocument", "line 1: not readable"),
        ("prov-n", "", "line 1: not readable as PROV-N"),
        ("prov-o", "@prefix prov: <" + PROV + "> .\n<x:a> prov:used",
         "line 2: not readable as RDF"),
        ("prov-o", "<x:a> <" + PROV + "used> [] .", "an entity or activity has no IRI"),
        ("prov-o", "<x:a> <" + PROV + "insertedKeyEntityPair> <x:b> .",
         "prov:insertedKeyEntityPair is not a supported relation"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_refused_by_name(
    tmp_path: Path, form: str, text: str, reported: str
) -> None:
    path = tmp_path / f"d.{FORMS[form]}"
    path.write_text(text)
    with pytest.raises(BadInput, match=re.escape(reported)) as caught:
        read(path, form)
    assert str(path) in caught.value.wanted


NAMES = st.sampled_from(
    ["orders/7", "http://example.org/a", "urn:provhouse:item:x", "ä b\n\"\\'", "prov:x", "a:b", ":"]
) | st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1)
TABLES = st.sampled_from(["", "orders", "entity", "activity"])
OPS = st.sampled_from(["", "load", "prov:used", "prov:wasStartedBy", "prov:hadMember", "prov:no"])
TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=4)
KEYS = st.sampled_from(
    ["day", "prov:time", "prov:activity", "prov:id", "prov:type", "http://e.org/k", "bundle"]
)


@settings(max_examples=25, deadline=None, phases=[Phase.generate])
@given(st.lists(st.tuples(NAMES, NAMES, OPS, TABLES, TABLES, st.dictionaries(KEYS, TEXTS | NAMES)),
                min_size=1, max_size=4))  # fmt: skip
def test_any_triples_round_trip(given_rows: list[tuple[Any, ...]]) -> None:
    rows = [
        {"src": src, "dst": dst, "op": op or None, "src_table": a or None, "dst_table": b or None,
         "attributes": as_object(more)}
        for src, dst, op, a, b, more in given_rows
    ]  # fmt: skip

    def whole(some: Iterable[dict[str, Any]]) -> set[tuple[object, ...]]:
        names = ("src", "dst", "op", "src_table", "dst_table", "attributes")
        return {tuple(row[name] for name in names) for row in some}

    with tempfile.TemporaryDirectory() as folder:
        for form, write in WRITERS.items():
            path = Path(folder) / f"d.{FORMS[form]}"
            path.write_text("".join(write(lambda: map(statement, rows))), encoding="utf-8")
            assert whole(read(path, form)[0]) == whole(rows), form


def test_derivations_round_trip(tmp_path: Path) -> None:
    row = {"src": "a", "dst": "b", "op": "sum", "src_table": "t", "dst_table": "u",
           "attributes": "", "derivation": "1", "op_kind": "all", "value": 1.5}  # fmt: skip
    for form, write in WRITERS.items():
        path = tmp_path / f"d.{FORMS[form]}"
        path.write_text("".join(write(lambda: [statement(row)])), encoding="utf-8")
        [found] = read(path, form)[0]
        assert found == {**row, "value": "1.5"}


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
