"""Generator of ``docs/settings.md`` from settings: ``python -m provhouse.cli.settings_page``."""

import ast
import inspect
import sys
from collections.abc import Iterator
from dataclasses import fields

from provhouse.model.settings import PREFIX, Settings

HEAD = """\
# Settings
This page is generated from `model/settings.py`, by
`python -m provhouse.cli.settings_page > docs/settings.md`.

A setting has a name and a value. The first of these sources that has the name sets the value:

1. an option of the command: `provhouse --set NAME=VALUE ...`; `theta` and `wait_seconds` also have
   options of their own, `--theta` and `--wait`, and `warehouse` has `--warehouse`
2. the environment variable in the table; an empty value does not count
3. the file `warehouse.toml` in the folder of the warehouse, except for `warehouse`
4. the default

An unknown name is an error, in all three places.
"""
TAIL = """
A relative path in `warehouse.toml` is relative to the folder of that file; elsewhere, to the
current folder. Both `neo4j_home = "../neo4j"` in the file and
`--set neo4j_home=/srv/neo4j` work.

```toml
# warehouse.toml
theta = 10000
neo4j_home = "../neo4j"
server_port = 8642
```

See also: [a server for a team](team.md) for the settings of servers, [Neo4j](neo4j.md)
for the settings of Neo4j.
"""


def document() -> str:
    """Return the page as Markdown."""
    return "\n".join((HEAD, *_table())) + "\n" + TAIL


def _table() -> Iterator[str]:
    meanings = _meanings()
    yield "| setting | environment variable | default | meaning |"
    yield "|---|---|---|---|"
    for field in fields(Settings):
        variable = f"`{PREFIX}{field.name.upper()}`"
        default = "" if field.default in (None, "") else f"`{field.default}`"
        yield f"| `{field.name}` | {variable} | {default} | {meanings[field.name]} |"


def _meanings() -> dict[str, str]:
    """Return the docstring below each field of ``Settings``, on one line and in Markdown.

    Python does not keep the docstrings of fields, so they are read from the source code.
    """
    (tree,) = ast.parse(inspect.getsource(Settings)).body
    assert isinstance(tree, ast.ClassDef)
    found = {}
    for field, text in zip(tree.body, tree.body[1:], strict=False):
        if isinstance(field, ast.AnnAssign) and isinstance(text, ast.Expr):
            assert isinstance(field.target, ast.Name)
            assert isinstance(text.value, ast.Constant)
            found[field.target.id] = " ".join(str(text.value.value).split()).replace("``", "`")
    return found


if __name__ == "__main__":
    sys.stdout.write(document())
