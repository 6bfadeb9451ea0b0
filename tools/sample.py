"""A random sample of docstrings, Java comments, messages and paragraphs of docs, for a reader.

    tools/sample.py [--count 100] [--seed COMMIT]

The reader must not be the author of the texts. The seed is the hash of the last commit unless
``--seed`` names another commit, so that the author cannot choose the texts. Prints a Markdown list
of the texts with their file and line.
"""

import argparse
import ast
import random
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

from file_list import ROOT, folders

BESIDE = ("benchmarks", "examples", "tests", "tools")
MESSAGES = ("say", "begin", "write", "fail", "Option", "Argument")
"""Functions whose arguments a person reads, in addition to the constructors of errors."""
SHORTEST = 12
"""The minimum length of listed messages. Shorter messages are names rather than sentences."""
_JAVA = re.compile(r"/\*\*.*?\*/|(?:[Uu]nsupported(?:\.\w+)?|refusal)\([^;]*?\);", re.DOTALL)
_STRING = re.compile(r'"((?:\\.|[^"\\])* (?:\\.|[^"\\])*)"')
_NO_PROSE = re.compile(r"^ *```.*?^ *```|^(?:#|\||<!--).*?$", re.MULTILINE | re.DOTALL)
"""A pattern for the parts of a page that are not prose: code, headings, tables and marks."""


def texts(file: Path) -> Iterator[tuple[int, str]]:
    """Yield each text for human readers in a file, with the line where the text begins."""
    text = file.read_text(encoding="utf-8")
    of = {".py": _python, ".java": _java, ".md": _markdown}[file.suffix]
    yield from of(text)


def _java(text: str) -> Iterator[tuple[int, str]]:
    for found in _JAVA.finditer(text):
        comment = found[0].startswith("/**")
        said = [found[0]] if comment else _STRING.findall(found[0])
        if said:
            yield text.count("\n", 0, found.start()) + 1, " / ".join(said)


def _markdown(text: str) -> Iterator[tuple[int, str]]:
    prose = _NO_PROSE.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)
    for found in re.finditer(r"\S.*?(?=\n\s*\n|\s*\Z)", prose, re.DOTALL):
        if len(found[0]) >= SHORTEST:
            yield text.count("\n", 0, found.start()) + 1, found[0]


def _python(text: str) -> Iterator[tuple[int, str]]:
    tree = ast.parse(text)
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
    """Return a string's text, or an empty string. Expressions in an f-string stay in braces."""
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
    """Print the sample that the arguments request."""
    parser = argparse.ArgumentParser(description="Draw texts that a person reads at random.")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", help="a commit; the last one unless named")
    given = parser.parse_args()
    head = subprocess.check_output(["git", "rev-parse", "HEAD"], cwd=ROOT, text=True).strip()
    seed = given.seed or head
    every = (*folders(), *BESIDE, "docs")
    files = [
        file
        for folder in every
        for file in sorted((ROOT / folder).rglob("*"))
        if file.suffix in (".py", ".java", ".md")
    ]
    found = [(file, line, text) for file in files for line, text in texts(file)]
    drawn = random.Random(seed).sample(found, given.count)
    print(f"{given.count} of {len(found):,} texts, seed {seed}\n")
    for number, (file, line, text) in enumerate(drawn, 1):
        print(f"{number}. `{file.relative_to(ROOT)}:{line}` {' '.join(text.split())}")


if __name__ == "__main__":
    main()
