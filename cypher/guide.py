"""What a person needs to look around in Neo4j Browser: address, queries to paste, a style."""

from dataclasses import dataclass
from importlib.resources import files
from urllib.parse import urlencode

from .server_record import Address


@dataclass(frozen=True)
class BrowserQuery:
    """A query to paste; ``text`` begins with the title as a comment, as Browser's favourites do."""

    title: str
    text: str


def url(address: Address) -> str:
    """Browser's address, with the server and the user filled in; the password is asked for."""
    server = address.bolt.replace("://", f"://{address.user}@")
    return f"{address.http}/browser/?{urlencode({'dbms': server, 'db': 'neo4j'}, safe=':/@')}"


def queries(warehouse: str) -> list[BrowserQuery]:
    """The queries of ``browser/``, in the order of their names, made for one warehouse.

    Browser has no parameters to begin with, so the warehouse's id stands in the text.
    """
    folder = files(__package__) / "browser"
    names = sorted(file.name for file in folder.iterdir() if file.name.endswith(".cypher"))
    return [_query((folder / name).read_text(encoding="utf-8"), warehouse) for name in names]


def style() -> str:
    """Colours and captions; drop it as a ``.grass`` file onto Browser's window."""
    return (files(__package__) / "browser" / "style.grass").read_text(encoding="utf-8")


def _query(text: str, warehouse: str) -> BrowserQuery:
    title = text.partition("\n")[0].removeprefix("// ")
    quoted = "'" + warehouse.replace("\\", "\\\\").replace("'", "\\'") + "'"
    return BrowserQuery(title, text.replace("$warehouse", quoted))
