"""The colours and captions for Neo4j Browser, as a command that Browser runs after it connects."""

import json
from importlib.resources import files


def style_command() -> str:
    """Return ``style {...}`` on one line, for the setting ``browser.post_connect_cmd``.

    ``browser/style.json`` contains the style. In a caption, Browser replaces ``{items}`` by the
    property ``items``. To run the command, a user of Browser must type a colon before it.
    """
    text = (files(__package__) / "browser" / "style.json").read_text(encoding="utf-8")
    return f"style {json.dumps(json.loads(text))}"
