"""Generator of ``docs/json.md`` from JSON schemas: ``python -m provhouse.cli.json_page``."""

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from provhouse.output import writer

HEAD = """\
# JSON
This page is generated from `output/schemas`, by
`python -m provhouse.cli.json_page > docs/json.md`. `--format json` writes these objects, and the
[HTTP API](server.md) returns them. A field in italics may be missing. Names are exact. New versions
may add fields; [the changelog](../CHANGELOG.md) lists what else changes.
"""
SCHEMAS = Path(writer.__file__).with_name("schemas")
Schema = Mapping[str, Any]


def document() -> str:
    """Return the page as Markdown."""
    lines = [HEAD]
    for path in sorted(SCHEMAS.glob("*.json")):
        lines += _schema(path.stem, json.loads(path.read_text(encoding="utf-8")))
    return "\n".join(lines) + "\n"


def _schema(name: str, schema: Schema) -> Iterator[str]:
    yield f"## {name}\n{schema['title']}. [Schema](../output/schemas/{name}.json)\n"
    parts = {"": schema, **schema.get("$defs", {})}
    for part, found in parts.items():
        if "properties" in found:
            yield from _object(part, found)
    yield ""


def _object(name: str, schema: Schema) -> Iterator[str]:
    yield f"| {f'`{name}`: ' if name else ''}field | type | meaning |"
    yield "|---|---|---|"
    needed = schema.get("required", ())
    for field, part in schema["properties"].items():
        shown = f"`{field}`" if field in needed else f"*`{field}`*"
        meaning = str(part.get("description", "")).replace("|", "\\|")
        yield f"| {shown} | {_kind(part)} | {meaning} |"
    yield ""


def _kind(part: Schema) -> str:
    """Return the type of a value, such as "list of `item`"."""
    if "$ref" in part:
        place, _, name = part["$ref"].rpartition("/")
        whole = place.removesuffix("/properties").rpartition("/")[2]
        return f"as in `{whole}`" if place.endswith("/properties") else f"`{name}`"
    if "const" in part or "enum" in part:
        values = part.get("enum", [part.get("const")])
        return " or ".join(f"`{json.dumps(each)}`" for each in values)
    if several := part.get("oneOf") or part.get("anyOf"):
        return " or ".join(dict.fromkeys(map(_kind, several)))
    kinds = part.get("type", "any value")
    listed = [kinds] if isinstance(kinds, str) else kinds
    return " or ".join(_plain(kind, part) for kind in listed)


def _plain(kind: str, part: Schema) -> str:
    if kind == "array":
        return f"list of {_kind(part['items'])}" if part.get("items") else "list"
    if kind == "object" and part.get("properties"):
        return f"object with {', '.join(f'`{each}`' for each in part['properties'])}"
    return {"null": "`null`"}.get(kind, kind)


if __name__ == "__main__":
    sys.stdout.write(document())
