"""The graph of a result: its tables, and the numbers of records behind the chosen rows."""

from collections.abc import Collection, Mapping

import pyarrow as pa

from provhouse.pictures.picture_graph import DrawnGraph

_SHORT = 200
"""The maximum number of characters of the query that a picture shows."""


def lineage_graph(
    query: str, records: Mapping[str, int], negative: Collection[str], rows: int
) -> DrawnGraph:
    """Return a graph with a node for each reference to a table, and one for the result.

    ``records`` contains, for each reference, its number of records behind the result's ``rows``
    rows. A ``negative`` reference must have no match, so it contributes no records.
    """
    names = [*records]
    one_line = " ".join(query.split())
    title = one_line if len(one_line) <= _SHORT else f"{one_line[:_SHORT]}…"
    nodes = pa.table({
        "kind": ["table"] * (len(names) + 1),
        "name": [*names, "result"],
        "table": pa.nulls(len(names) + 1, pa.string()),
        "items": [*records.values(), rows],
    })  # fmt: skip
    edges = pa.table({
        "from": pa.array(range(len(names)), pa.int64()),
        "to": pa.array([len(names)] * len(names), pa.int64()),
        "op": ["no match" if name in negative else "query" for name in names],
        "triples": pa.array([*records.values()], pa.int64()),
    }, schema=pa.schema([("from", pa.int64()), ("to", pa.int64()), ("op", pa.string()),
                         ("triples", pa.int64())]))  # fmt: skip
    return DrawnGraph(title, (), nodes, edges, (len(names),))
