"""Convert names in PROV documents: qualified names, IRIs, and item names that are not IRIs."""

import re
from collections.abc import Mapping
from urllib.parse import quote, unquote

PROV = "http://www.w3.org/ns/prov#"
XSD = "http://www.w3.org/2001/XMLSchema#"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
KNOWN = {"prov": PROV, "xsd": XSD}
"""The prefixes that need not be declared in a document."""
DEFAULT = ""
"""The key that stands for the default namespace in a map of prefixes."""
OWN = "urn:provhouse:"
ITEM, ATTRIBUTE = f"{OWN}item:", f"{OWN}attribute:"
"""The beginnings of the IRIs for items and attributes whose names are not IRIs."""
_IRI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\x00-\x20<>\"{}|\\^`\x7f]+")


def expanded(name: str, prefixes: Mapping[str, str]) -> str:
    """Return the IRI of a qualified name; raise ValueError if its prefix is not declared."""
    prefix, colon, local = name.partition(":")
    if not colon:
        prefix, local = DEFAULT, name
    if prefix == "_":
        raise ValueError(f"{name} is a blank node, which has a name only in its document")
    if prefix not in prefixes:
        what = f"The prefix {prefix} of {name}" if colon else f"The default namespace of {name}"
        raise ValueError(f"{what} is not declared")
    return f"{prefixes[prefix]}{local}"


def expanded_value(text: str, prefixes: Mapping[str, str]) -> str:
    """Return the IRI of a qualified name that is the value of an attribute.

    A value without a declared prefix is returned unchanged, because it does not name an item.
    """
    try:
        return expanded(text, prefixes)
    except ValueError:
        return text


def item_of(iri: str) -> str:
    """Return the name of the item that an IRI stands for."""
    return unquote(iri.removeprefix(ITEM)) if iri.startswith(ITEM) else iri


def iri_of(item: str) -> str:
    """Return the IRI that stands for an item; ``item_of`` maps the IRI back to the item's name."""
    return item if is_iri(item) else f"{ITEM}{_quoted(item)}"


def is_iri(text: str) -> bool:
    """Return whether ``text`` is an IRI, but not one that provhouse has made from a name."""
    return bool(_IRI.fullmatch(text)) and not text.startswith(OWN)


def attribute_of(iri: str) -> str:
    """Return the name of the attribute that an IRI stands for."""
    if iri.startswith(ATTRIBUTE):
        return unquote(iri.removeprefix(ATTRIBUTE))
    return f"prov:{iri.removeprefix(PROV)}" if iri.startswith(PROV) else iri


def attribute_iri(name: str, *, own: bool = False) -> str:
    """Return the IRI that stands for an attribute; ``attribute_of`` maps it back to the name.

    If ``own`` is true, the IRI is not in PROV's namespace, even if the name begins with ``prov:``.
    """
    local = name.removeprefix("prov:")
    if local != name and re.fullmatch(r"\w+", local, re.ASCII) and not own:
        return f"{PROV}{local}"
    if own or local != name or name.startswith(PROV) or not is_iri(name):
        return f"{ATTRIBUTE}{_quoted(name)}"
    return name


def _quoted(name: str) -> str:
    return quote(name, safe="", errors="strict")
