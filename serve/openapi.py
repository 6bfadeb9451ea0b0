"""The OpenAPI document, with the schemas in `output/schemas` as the responses of the routes."""

import json
from importlib.resources import files
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from provhouse.output.questions.question_registry import QUESTIONS
from provhouse.output.questions.schemas import derived_schema

from .content_types import ARROW_TYPE, MANY_TYPE, PICTURE_TYPES
from .requests import Problem

_COMPONENTS = "#/components/schemas/"
_PROBLEM = {"content": {"application/problem+json": {}}, "model": Problem}


def responses(
    form: str, *, lines: bool = False, pictured: bool = False
) -> dict[int | str, dict[str, Any]]:
    """Describe the responses of a route: a result in several media types, or a problem document.

    ``form`` is the name of the JSON result's schema. ``lines`` adds the media type of a stream of
    JSON answers, one on each line; ``pictured`` adds the media types of pictures.
    """
    content: dict[str, Any] = {"application/json": {"schema": {"$ref": _COMPONENTS + form}}}
    for kind in ("text/csv", "text/plain", ARROW_TYPE, *([MANY_TYPE] if lines else [])):
        content[kind] = {}
    if pictured:
        content |= {kind.partition(";")[0]: {} for kind in PICTURE_TYPES.values()}
    return {200: {"content": content}, "4XX": _PROBLEM, "5XX": _PROBLEM}


def openapi_document(app: FastAPI) -> dict[str, Any]:
    """Return the OpenAPI document, which is built once for each application."""
    if not app.openapi_schema:
        document = get_openapi(
            title=app.title,
            version=app.version,
            description=app.description,
            routes=app.routes,
        )
        schemas = document["components"]["schemas"]
        schemas |= _schemas("status")
        for asking in QUESTIONS:
            name = asking.schema
            derived = {} if asking.result else {name: derived_schema(asking.found_type())}
            schemas |= derived or _schemas(name)
        app.openapi_schema = document
    return app.openapi_schema


def _schemas(form: str) -> dict[str, Any]:
    """Return a schema and the definitions inside it, by their names in the OpenAPI document."""
    text = (files("provhouse.output") / "schemas" / f"{form}.json").read_text(encoding="utf-8")
    schema = json.loads(text.replace('"#/$defs/', f'"{_COMPONENTS}{form}.'))
    parts = {f"{form}.{name}": part for name, part in schema.pop("$defs", {}).items()}
    del schema["$schema"]
    return {form: schema, **parts}
