"""The groups of commands in the help, and the guide that ``provhouse`` alone prints.

The earlier name of a command works, but the help does not list it.
"""

from collections.abc import Mapping
from typing import Any

from typer.core import TyperGroup

GROUPS = {
    "Bring in": {
        "ingest": "Ingest files of triples: dst was derived from src by op.",
        "run-spark": "Run a Spark job, and ingest the lineage of its writes.",
        "dbt": "Run dbt on DuckDB, with the lineage of all its rows.",
        "import": "Ingest the files that `provhouse export` wrote.",
    },
    "Ask": {
        "find": "Find items by their names.",
        "lineage": "Show everything that an item was derived from.",
        "impact": "Show everything that was derived from an item.",
        "path": "Show how one item was derived from another.",
        "diff": "Show how a lineage or an impact changed.",
        "list": "List generations, ops, values, modules and more.",
    },
    "Explain": {
        "why": "Show what made an item, its value, or a change of it.",
        "what-if": "Show what would happen without some items or triples.",
        "blame": "Find the records that make rows of a table wrong.",
        "compare": "Say whether two queries give the same rows.",
        "revisions": "Store revisions of a workflow, or show what changed.",
        "reuse": "Say whether results can be used instead of built again.",
    },
    "Look": {
        "browser": "Show items and sets in Neo4j Browser.",
        "crossfilter": "Show linked charts of a file in the browser.",
        "cypher": "Run a read-only Cypher query in Neo4j.",
    },
    "Keep": {
        "status": "Show what is stored, and which servers are running.",
        "check": "Check the warehouse for damage, or repair it.",
        "tidy": "Delete what is old, and rewrite the tables.",
        "retract": "End triples: answers no longer contain them.",
        "rollback": "Undo the last ingest.",
        "forget": "Erase items permanently, from all generations and logs.",
        "export": "Write all triples, or those of one answer, as files.",
        "copy": "Copy a warehouse to another folder or address.",
    },
    "Run": {
        "up": "Start Neo4j and the server, and keep them running.",
        "down": "Stop Neo4j and the server.",
        "token": "Add, list or revoke the tokens of people.",
        "mcp": "Answer agents: the questions as tools of MCP.",
        "doctor": "Show what is missing on this machine.",
    },
}
"""The commands that the help lists, by group, each with a line of at most 60 characters."""
OLD_NAMES = {
    "subgraph ITEM": "lineage ITEM --both",
    "origins ITEM": "lineage ITEM --origins",
    "explain ITEM": "lineage ITEM --estimate",
    "depends ITEM --on OTHER": "why ITEM --on OTHER",
    "why-changed ITEM --from N": "why ITEM --from N",
    "evaluate ITEM --semiring S": "why ITEM --semiring S",
    "generations": "list generations",
    "ops list": "list ops",
    "ops set FILE": "ingest --operations FILE",
    "values OF": "list values OF",
    "modules list": "list modules",
    "modules set FILE": "ingest --modules FILE",
    "invocations MODULE": "list invocations MODULE",
    "show set N": "list set N",
    "results WORKFLOW": "list results WORKFLOW",
    "executions add REVISION": "revisions run REVISION",
    "why-not-reused REVISION": "reuse REVISION --why",
    "compact": "tidy --rewrite",
    "prune --keep N": "tidy --keep N",
    "repair": "check --repair",
    "spark-conf": "run-spark --print-conf",
}
"""The calls with earlier names, each with the call to use instead."""
GUIDE = """\
provhouse shows where data comes from and what was derived from it.
  provhouse ingest FILES  Bring in triples: files with columns src, dst and op.
  provhouse find TEXT     Find an item by the beginning of its name.
  provhouse lineage ITEM  Show what it was derived from; impact is the opposite.
  provhouse --help        Show all commands.
"""


_OLD = {call.split()[0] for call in OLD_NAMES}


def is_old(command: str) -> bool:
    """Return whether a name is an earlier name of another command."""
    return command in _OLD


def grouped(commands: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """Return the names and lines of commands by group.

    A new question needs no entry in ``GROUPS``: it belongs to Ask, and its line is the beginning
    of its help.
    """
    known = {name for lines in GROUPS.values() for name in lines} | _OLD
    new = {
        name: each.get_short_help_str(60) for name, each in commands.items() if name not in known
    }
    return {**GROUPS, "Ask": {**GROUPS["Ask"], **new}}


class GroupedHelp(TyperGroup):
    """A click group whose help lists its commands by group."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write a section for each group of commands; omit earlier names."""
        groups = grouped(self.commands)
        width = max(len(name) for lines in groups.values() for name in lines)
        for group, lines in groups.items():
            with formatter.section(group):
                formatter.write_dl([(name.ljust(width), line) for name, line in lines.items()])
