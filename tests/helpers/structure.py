"""What golden files hold of larger structures: their form, without words for people."""

import json
from typing import Any

WORDS = ("description", "summary", "title")


def dumped(value: object) -> str:
    """Return a value as JSON that a diff shows line by line, keys sorted."""
    return json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False, default=str) + "\n"


def wordless(value: Any) -> Any:
    """Return a JSON schema, or an OpenAPI document, without its texts for people.

    Properties that have the name of such a text are kept: their values are no texts.
    """
    if isinstance(value, dict):
        kept = {k: v for k, v in value.items() if not (k in WORDS and isinstance(v, str))}
        return {key: wordless(each) for key, each in kept.items()}
    return [wordless(each) for each in value] if isinstance(value, list) else value


def kinds(value: object) -> object:
    """Return the keys of a JSON value, with the types of what they lead to."""
    if isinstance(value, dict):
        return {key: kinds(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [kinds(value[0])] if value else []
    return type(value).__name__
