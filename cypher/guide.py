"""Help for exploring a warehouse in Neo4j Browser: its URL, queries to paste and a style."""

from dataclasses import dataclass
from importlib.resources import files
from urllib.parse import urlencode

from .server_record import Address


@dataclass(frozen=True)
class BrowserQuery:
    """A query to paste.

    Its ``text`` starts with the title as a comment, as in Browser's favourites.
    """

    title: str
    text: str


def url(address: Address) -> str:
    """Return Browser's URL, with server and user filled in; Browser asks for the password."""
    server = address.bolt.replace("://", f"://{address.user}@")
    return f"{address.http}/browser/?{urlencode({'dbms': server, 'db': 'neo4j'}, safe=':/@')}"


def queries(warehouse: str) -> list[BrowserQuery]:
    """Return the queries of ``browser/``, ordered by file name, for one warehouse.

    The text contains the warehouse's id, because Browser starts without parameters.
    """
    folder = files(__package__) / "browser"
    names = sorted(file.name for file in folder.iterdir() if file.name.endswith(".cypher"))
    return [_query((folder / name).read_text(encoding="utf-8"), warehouse) for name in names]


def style() -> str:
    """Return the text of a ``.grass`` file, with colours and captions, to drop onto Browser."""
    return (files(__package__) / "browser" / "style.grass").read_text(encoding="utf-8")


def _query(text: str, warehouse: str) -> BrowserQuery:
    title = text.partition("\n")[0].removeprefix("// ")
    quoted = "'" + warehouse.replace("\\", "\\\\").replace("'", "\\'") + "'"
    return BrowserQuery(title, text.replace("$warehouse", quoted))
