"""Make compiled SQL independent of where the project is built.

Compiled SQL names tables by database and schema, which differ between the builds of two branches.
Here, tables are renamed after their nodes: the schema is the node's id, and the table is the node's
identifier.
"""

from collections.abc import Iterator, Mapping, Sequence

import duckdb

PARTS = 3
"""The minimum number of tokens of a name that is replaced: a schema, a dot and a table."""


def tokens(text: str) -> list[str]:
    """Split SQL into tokens as DuckDB does, without comments.

    Each token includes the space after it, if there is one. A line break after a string literal is
    kept, because it joins the literal with the next one.
    """
    raw, found = text.encode(), duckdb.tokenize(text)
    starts = [at for at, _ in found]
    made: list[str] = []
    for (start, kind), end in zip(found, [*starts[1:], len(raw)], strict=bool(found)):
        piece = raw[start:end].decode()
        token = "" if kind is duckdb.token_type.comment else piece.rstrip()
        if token:
            made.append(token)
        if made and piece != token:
            made[-1] = made[-1].rstrip() + _space(made[-1], piece[len(token) :])
    return made


def _space(before: str, spaces: str) -> str:
    return "\n" if before.rstrip().endswith("'") and "\n" in before + spaces else " "


def table_name(node: str, identifier: str) -> str:
    """Return a name for a node's table that does not depend on its database and schema."""
    return ".".join('"{}"'.format(part.replace('"', '""')) for part in (node, identifier))


class RelationNames:
    """The new names of a project's tables, by their names in compiled SQL."""

    def __init__(self, names: Mapping[str, str]) -> None:
        """Store the new name of each table, by its name in compiled SQL."""
        split = {_plain(tokens(old)): new for old, new in names.items()}
        self._names = {old: new for old, new in split.items() if len(old) >= PARTS}
        self._lengths = sorted({len(old) for old in self._names}, reverse=True)

    def replaced(self, text: str) -> tuple[str, set[str]]:
        """Return compiled SQL with tables renamed and comments removed, and the new names."""
        found: set[str] = set()
        made = "".join(self._replaced(tokens(text), found))
        return made.rstrip(" \n;"), found

    def _replaced(self, listed: Sequence[str], names: set[str]) -> Iterator[str]:
        at, plain = 0, _plain(listed)
        while at < len(listed):
            found = next((n for n in self._lengths if plain[at : at + n] in self._names), 0)
            if found and (at == 0 or plain[at - 1] != "."):
                last = listed[at + found - 1]
                name = self._names[plain[at : at + found]]
                names.add(name)
                yield name + last[len(last.rstrip()) :]
            else:
                found = 1
                yield listed[at]
            at += found


def _plain(listed: Sequence[str]) -> tuple[str, ...]:
    """Return tokens as DuckDB compares names: without quotes, and in lower case."""
    return tuple(_unquoted(token.rstrip()) for token in listed)


def _unquoted(token: str) -> str:
    quoted = token.startswith('"') and token.endswith('"')
    return (token[1:-1].replace('""', '"') if quoted else token).lower()
