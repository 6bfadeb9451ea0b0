"""Check prose for phrases that docs/words.txt does not accept: part of `make lint`.

    tools/words.py [FILE ...]

Checks docstrings, comments and strings of Python and Java files, and the complete text of Markdown,
Cypher, JavaScript and HTML files: all files in the repository, or the named files. Prints a line
for each phrase found, and exits with 1 if it finds any.
"""

import io
import re
import subprocess
import sys
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
LIST = ROOT / "docs" / "words.txt"
QUOTING = "tests/test_words.py"
"""A file that is not checked, because it quotes listed phrases to test that they are found."""
HIDDEN = "\0"
"""The character that replaces text other than prose, so that no phrase continues across code."""
_FSTRING_TEXT = getattr(tokenize, "FSTRING_MIDDLE", -1)  # Python 3.12 and newer
_OPENING = re.compile(r"[A-Za-z]*(\"\"\"|'''|\"|')")
_CODE = (re.compile(r"``[^`]+``|`[^`\n]+`"), re.compile(r"https?://\S+"))
_JAVA = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', re.DOTALL)
_JAVA_FRAME = re.compile(r"^/\*+|\*/$|^ *\*(?!/)|^//|^\"|\"$", re.MULTILINE)
"""The marks around the text of a Java comment or string, on each line."""
_JAVA_CODE = re.compile(r"\{@\w+[^}]*\}|<p>")
_PLACEHOLDER = re.compile(r"\{[^{}\n]*\}")
_FENCE = re.compile(r"^ *```.*?^ *```", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Phrase:
    """An entry of docs/words.txt."""

    pattern: re.Pattern[str]
    better: str
    opens_docstring: bool
    """Whether the entry applies only to the beginning of docstrings."""


@dataclass(frozen=True)
class Prose:
    """The content of a file, with ``HIDDEN`` in place of all text that is not prose."""

    text: str
    docstrings: tuple[int, ...] = ()
    """The positions in the text where docstrings begin."""


def phrases(text: str) -> list[Phrase]:
    """Return the entries of docs/words.txt, whose content is ``text``."""
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return [_phrase(*line.rsplit(" -> ", 1)) for line in lines]


def _phrase(pattern: str, better: str) -> Phrase:
    spaced = pattern.removeprefix("^").replace(" ", r"(?: +| *\n *)")
    return Phrase(re.compile(spaced, re.IGNORECASE), better, pattern.startswith("^"))


def prose(file: Path) -> Prose:
    """Return the prose of a file, with its code hidden."""
    text = file.read_text(encoding="utf-8")
    if file.suffix == ".py":
        return _python(text)
    if file.suffix == ".java":
        return _java(text)
    return Prose(_without(text, _FENCE, *_CODE))


def _python(text: str) -> Prose:
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    shown = [mark if mark in "\n" else HIDDEN for mark in text]
    docstrings = []
    opens_statement = True
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        begin = starts[token.start[0] - 1] + token.start[1]
        end = starts[token.end[0] - 1] + token.end[1]
        first, last = _span(token, text[begin:end])
        for place in range(begin + first, end - last):
            shown[place] = text[place]
        if token.type == tokenize.COMMENT:
            _blank(shown, starts[token.start[0] - 1], begin + 1)
        elif token.type == tokenize.STRING and opens_statement:
            docstrings.append(begin + first)
        if token.type not in (tokenize.COMMENT, tokenize.NL):
            opens_statement = token.type in (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)
    return Prose(_without("".join(shown), _PLACEHOLDER, *_CODE), tuple(docstrings))


def _java(text: str) -> Prose:
    shown = re.sub(r"[^\n]", HIDDEN, text)
    docstrings = []
    for found in _JAVA.finditer(text):
        content = _JAVA_FRAME.sub(lambda frame: " " * len(frame[0]), found[0])
        if not found[0].startswith('"') or " " in content.strip():
            shown = shown[: found.start()] + content + shown[found.end() :]
        if found[0].startswith("/**"):
            docstrings.append(found.end() - len(content.lstrip()))
    return Prose(_without(shown, _JAVA_CODE, *_CODE), tuple(docstrings))


def _span(token: tokenize.TokenInfo, source: str) -> tuple[int, int]:
    """Return how many characters to leave out at the beginning and at the end of a token."""
    if token.type == tokenize.COMMENT:
        return 1, 0
    if token.type == _FSTRING_TEXT:
        return 0, 0
    opening = _OPENING.match(source) if token.type == tokenize.STRING else None
    if opening and " " in source.strip():
        return opening.end(), len(opening[1])
    return len(source), 0


def _blank(shown: list[str], begin: int, end: int) -> None:
    """Replace a comment's ``#`` and indentation by spaces, unless code precedes the comment.

    So a phrase is found even if it continues on the next comment line.
    """
    if all(mark == HIDDEN for mark in shown[begin:end]):
        shown[begin:end] = " " * (end - begin)


def _without(text: str, *patterns: re.Pattern[str]) -> str:
    for pattern in patterns:
        text = pattern.sub(lambda found: re.sub(r"[^\n]", HIDDEN, found[0]), text)
    return text


def found(shown: Prose, phrase: Phrase) -> Iterator[tuple[int, str]]:
    """Yield the line and the words of each occurrence of a phrase."""
    if phrase.opens_docstring:
        matches = [phrase.pattern.match(shown.text, begin) for begin in shown.docstrings]
    else:
        matches = [*phrase.pattern.finditer(shown.text)]
    for match in filter(None, matches):
        yield shown.text.count("\n", 0, match.start()) + 1, " ".join(match[0].split())


def files() -> list[Path]:
    """Return the files in the repository that contain prose."""
    listing = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--",
               "*.py", "*.java", "*.md", "*.cypher", "*.js", "*.html", f":!{QUOTING}"]  # fmt: skip
    names = subprocess.check_output(listing, cwd=ROOT, text=True).splitlines()
    return [path for name in names if (path := ROOT / name).is_file() and not path.is_symlink()]


def main() -> int:
    """Check the files and return the exit status."""
    listed = phrases(LIST.read_text(encoding="utf-8"))
    status = 0
    for file in map(Path, sys.argv[1:]) if sys.argv[1:] else files():
        shown = prose(file)
        place = file.relative_to(ROOT) if file.is_relative_to(ROOT) else file
        hits = ((*hit, phrase.better) for phrase in listed for hit in found(shown, phrase))
        for line, words, better in sorted(hits):
            print(f"{place}:{line}: {words} -> {better}")
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
