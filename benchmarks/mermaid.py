"""Pictures of cuts as Mermaid diagrams, which GitHub draws."""

from sets_form import Group, Picture

MOST = 8
"""More groups than this are no picture: tables do not say how such a component is cut."""


def mermaid(picture: Picture) -> str:
    """Groups of tables and which is derived from which, or a sentence if they are no picture."""
    groups = picture["groups"]
    if len(groups) > MOST:
        sets, read, triples = (
            sum(group[what] for group in groups) for what in ("sets", "sets_read", "triples_read")
        )
        return (
            f"Blocks of an order, instead of groups of tables, make {sets:,} sets; a"
            f" question reads {read:,.1f} of them, {triples:,.0f} triples."
        )
    of = {table: number for number, group in enumerate(groups) for table in group["tables"]}
    pairs = sorted({(of[one], of[other]) for one, other in picture["derivations"]})
    return "\n".join(
        [
            "```mermaid",
            "flowchart LR",
            *(f'  g{number}["{_caption(group)}"]' for number, group in enumerate(groups)),
            *(f"  g{one} --> g{other}" for one, other in pairs if one != other),
            "```",
        ]
    )


def _caption(group: Group) -> str:
    tables = list(group["tables"])
    lines = [", ".join(tables[first : first + 4]) for first in range(0, len(tables), 4)]
    sets = f"{group['items']:,} items in {group['sets']:,} sets"
    read = (
        f"a question reads {group['sets_read']:,.1f} of these, {group['triples_read']:,.0f} triples"
    )
    return "<br/>".join([*(f"<b>{line}</b>" for line in lines), sets, read])
