"""Draw docstrings and messages at random, for a reader who did not write them.

    tools/sample.py [--count 100] [--seed COMMIT]

The seed is the hash of the last commit unless ``--seed`` names another commit. So the author cannot
choose what is read. Prints a Markdown list of the texts with their places.
"""

import argparse
import ast
import random
import subprocess
from collections.abc import Iterator
from pathlib import Path

from files import ROOT, folders

BESIDE = ("benchmarks", "examples", "tests", "tools")
MESSAGES = ("say", "begin", "write", "fail", "Option", "Argument")
"""Functions whose arguments a person reads, in addition to the constructors of errors."""
SHORTEST = 12
"""The length of the shortest message listed. Shorter ones are names rather than sentences."""


def texts(file: Path) -> Iterator[tuple[int, str]]:
    """Yield each docstring and message of a file, with its line."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            if isinstance(node.value.value, str):
                yield node.lineno, node.value.value
        elif isinstance(node, ast.Call) and _is_message(node.func):
            arguments = [*node.args, *(keyword.value for keyword in node.keywords)]
            said = [text for argument in arguments if len(text := _text(argument)) >= SHORTEST]
            if said and any(map(_has_words, arguments)):
                yield node.lineno, " / ".join(said)


def _is_message(function: ast.expr) -> bool:
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    errors = ("Error", "NotFound", "BadInput", "Unavailable", "TooSlow", "Busy", "Damaged")
    return name in MESSAGES or name.endswith(errors)


def _has_words(argument: ast.expr) -> bool:
    """Return whether a string has a space between words, outside the braces of an f-string.

    A call without such a string, such as ``graph.write("dependencies")``, contains no message.
    """
    parts = argument.values if isinstance(argument, ast.JoinedStr) else [argument]
    words = "".join("x" if isinstance(part, ast.FormattedValue) else _text(part) for part in parts)
    return " " in words.strip()


def _text(node: ast.expr) -> str:
    """Return the text of a string, or an empty text. Expressions in an f-string stay in braces."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    if isinstance(node, ast.JoinedStr):
        return "".join(map(_part, node.values))
    return ""


def _part(node: ast.expr) -> str:
    if isinstance(node, ast.FormattedValue):
        return "{" + ast.unparse(node.value) + "}"
    return _text(node)


def main() -> None:
    """Print the sample that the arguments ask for."""
    parser = argparse.ArgumentParser(description="Draw docstrings and messages at random.")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", help="a commit; the last one unless named")
    given = parser.parse_args()
    head = subprocess.check_output(["git", "rev-parse", "HEAD"], cwd=ROOT, text=True).strip()
    seed = given.seed or head
    files = [
        file for folder in (*folders(), *BESIDE) for file in sorted((ROOT / folder).rglob("*.py"))
    ]
    every = [(file, line, text) for file in files for line, text in texts(file)]
    drawn = random.Random(seed).sample(every, given.count)
    print(f"{given.count} of {len(every):,} texts, seed {seed}\n")
    for number, (file, line, text) in enumerate(drawn, 1):
        print(f"{number}. `{file.relative_to(ROOT)}:{line}` {' '.join(text.split())}")


if __name__ == "__main__":
    main()
