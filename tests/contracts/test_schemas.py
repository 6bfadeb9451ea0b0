"""The JSON schemas of results stay the same, except for their descriptions."""

import json
from collections.abc import Callable
from pathlib import Path

from helpers.structure import dumped, wordless
from provhouse.output import writer

SCHEMAS = Path(writer.__file__).with_name("schemas")


def test_schemas_of_results_are_the_same(golden: Callable[[str, str], None]) -> None:
    schemas = {file.name: json.loads(file.read_text()) for file in SCHEMAS.iterdir()}
    golden("schemas.json", dumped(wordless(schemas)))
