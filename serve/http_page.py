"""Generator of ``docs/http.md`` from the routes: ``python -m provhouse.serve.http_page``."""

import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from provhouse.model.progress import Silent
from provhouse.model.settings import Settings

from .auth import Access
from .http_app import application
from .keeper import Keeper
from .openapi import openapi_document
from .people import People
from .requests import OUTPUT_OPTIONS

HEAD = """\
# HTTP routes
This page is generated from the OpenAPI document, by
`python -m provhouse.serve.http_page > docs/http.md`. A running server sends the same document as
`GET /v1/openapi.json`. [The warm server](server.md) describes tokens, media types and errors.

A parameter of a GET is a part of the query string, and may be repeated if it is a list. A POST has
the same parameters as a JSON object; lists of pairs, and the `items` of a lineage or an impact, are
only possible there. Parameters in italics may be left out.

"""
COMMON = """\
## Parameters of the format
All routes that answer a question also have these parameters, in the query string.

"""
Schema = Mapping[str, Any]
Part = Mapping[str, Any]


def document() -> str:
    """Return the page as Markdown."""
    found = _openapi()
    schemas = found["components"]["schemas"]
    lines = [HEAD, COMMON, *_table(found["paths"]["/v1/find"]["post"]["parameters"], schemas)]
    for path, route in found["paths"].items():
        lines += _route(path, route, schemas)
    return "".join(lines)


def _openapi() -> Schema:
    """Return the document of a server that is never started."""
    with TemporaryDirectory() as folder:
        settings = Settings(warehouse=Path(folder))
        access = Access(People(Path(folder), ""), frozenset())
        return openapi_document(application(Keeper(settings, Silent()), settings, access))


def _route(path: str, route: Part, schemas: Schema) -> Iterator[str]:
    methods = [method for method in ("get", "post") if method in route]
    last = route[methods[-1]]
    yield f"\n## {path}\n{' or '.join(map(str.upper, methods))}. {last['description']}"
    content = last["responses"]["200"]["content"].get("application/json", {})
    yield _response(content.get("schema", {}), schemas)
    asked = route[methods[0]].get("parameters", ())
    own = [each for each in asked if each["name"] not in OUTPUT_OPTIONS]
    if "requestBody" in last:
        own = _fields(last["requestBody"]["content"]["application/json"]["schema"], schemas)
    if own:
        yield from ("\n\n", *_table(own, schemas))
    else:
        yield "\n"


def _response(schema: Schema, schemas: Schema) -> str:
    """Return a sentence about the JSON of a response, or nothing if it has no declared schema."""
    if "$ref" not in schema:
        return ""
    form = _name(schema)
    if (files("provhouse.output") / "schemas" / f"{form}.json").is_file():
        return f" Response: [`{form}`](json.md#{form})."
    return f" Response: {', '.join(f'`{each}`' for each in schemas[form]['properties'])}."


def _fields(schema: Schema, schemas: Schema) -> list[Part]:
    """Return the fields of the object that is posted, in the form of parameters; needed ones first.

    The object may have alternatives, such as one item or several.
    """
    named = [schemas[_name(each)] for each in schema.get("anyOf", [schema])]
    needed = [set(each.get("required", ())) for each in named]
    one_of = sorted(set.union(*needed) - set.intersection(*needed))
    alternative = f"Exactly one of {' and '.join(f'`{each}`' for each in one_of)}"
    properties = {field: part for each in named for field, part in each["properties"].items()}
    found = [
        {
            "name": field,
            "required": any(field in each for each in needed),
            "schema": part,
            "description": alternative if field in one_of else part.get("description", ""),
        }
        for field, part in properties.items()
    ]
    return sorted(found, key=lambda each: not each["required"])


def _table(parameters: Iterable[Part], schemas: Schema) -> Iterator[str]:
    yield "| parameter | type | default | meaning |\n|---|---|---|---|\n"
    for each in parameters:
        name = f"`{each['name']}`" if each.get("required") else f"*`{each['name']}`*"
        schema = each["schema"]
        default = schema.get("default")
        shown = "" if default in (None, "", []) else f"`{json.dumps(default)}`"
        meaning = str(each.get("description", "")).replace("|", "\\|")
        yield f"| {name} | {_kind(schema, schemas)} | {shown} | {meaning} |\n"


def _kind(schema: Schema, schemas: Schema) -> str:
    """Return the type of a parameter, such as "list of strings"."""
    if "$ref" in schema:
        return _kind(schemas[_name(schema)], schemas)
    if "enum" in schema:
        return " or ".join(f"`{each}`" for each in schema["enum"])
    if "anyOf" in schema:
        kinds = [_kind(each, schemas) for each in schema["anyOf"] if each.get("type") != "null"]
        return " or ".join(kinds)
    if schema["type"] != "array":
        return str(schema["type"])
    if parts := schema["items"].get("prefixItems"):
        return f"list of pairs ({', '.join(_kind(each, schemas) for each in parts)})"
    return f"list of {_kind(schema['items'], schemas)}s"


def _name(reference: Schema) -> str:
    """Return the name of the schema to which a reference points."""
    return str(reference["$ref"]).rpartition("/")[2]


if __name__ == "__main__":
    sys.stdout.write(document())
