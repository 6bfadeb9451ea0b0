"""The structure of JSON values, for golden files, without the text that is meant for people."""

import json
from typing import Any

WORDS = ("description", "summary", "title")


def dumped(value: object) -> str:
    """Return a value as JSON with sorted keys, in short lines that suit a diff."""
    return json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False, default=str) + "\n"


def wordless(value: Any) -> Any:
    """Return a JSON schema or OpenAPI document without text meant for people, such as titles.

    A property that is called ``title`` is kept, because its value is an object.
    """
    if isinstance(value, dict):
        kept = {k: v for k, v in value.items() if not (k in WORDS and isinstance(v, str))}
        return {key: wordless(each) for key, each in kept.items()}
    return [wordless(each) for each in value] if isinstance(value, list) else value


def kinds(value: object) -> object:
    """Return a JSON value in which types replace values. A list keeps only its first element."""
    if isinstance(value, dict):
        return {key: kinds(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [kinds(value[0])] if value else []
    return type(value).__name__
