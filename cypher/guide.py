"""Help for exploring a warehouse in Neo4j Browser: Browser's URL, and queries to paste."""

from dataclasses import dataclass
from importlib.resources import files
from urllib.parse import quote, urlencode

from .address import Address


@dataclass(frozen=True)
class BrowserQuery:
    """A query to paste.

    ``text`` starts with the title as a comment, as Browser's favorites do.
    """

    title: str
    text: str
    why_empty: str
    """The reason why the query may show nothing, as a clause."""


def url(address: Address, query: str = "") -> str:
    """Return Browser's URL, with server and user filled in; Browser asks for the password.

    The URL puts ``query`` into Browser's editor. The URL is empty for a server that is not managed,
    since the address of its Browser is unknown.
    """
    if not address.http:
        return ""
    server = address.bolt.replace("://", f"://{address.user}@")
    parts = {"dbms": server, "db": address.database}
    if query:
        parts |= {"cmd": "edit", "arg": query}
    return f"{address.http}/browser/?{urlencode(parts, safe=':/@', quote_via=quote)}"


def view_query(warehouse: str, view: str, *, sets: bool = False) -> str:
    """Return the query that shows a view and, with ``sets``, the sets that contain its items."""
    items = f"MATCH (i:Item {{warehouse: {_quoted(warehouse)}, view: {_quoted(view)}}})"
    links = "DERIVES|IN_SET" if sets else "DERIVES"
    return f"{items} OPTIONAL MATCH (i)-[d:{links}]->(n) RETURN i, d, n"


def queries(warehouse: str) -> list[BrowserQuery]:
    """Return the queries of the folder ``browser``, ordered by file name, for one warehouse.

    The texts of the queries contain the warehouse's id, because Browser starts without parameters.
    """
    folder = files(__package__) / "browser"
    names = [file.name for file in folder.iterdir() if file.name.endswith(".cypher")]
    names.sort(key=lambda name: int(name.partition("_")[0]))
    return [_query((folder / name).read_text(encoding="utf-8"), warehouse) for name in names]


def _query(text: str, warehouse: str) -> BrowserQuery:
    title, why, *_ = (line.removeprefix("// ") for line in text.split("\n", 2))
    why = why.removeprefix("Shows nothing if ")
    return BrowserQuery(title, text.replace("$warehouse", _quoted(warehouse)), why)


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
