"""Values that do harm if a program treats them as code, markup or paths instead of as data."""

import re

HOSTILE = (
    "it's", 'say "yes"', "`tick`", "a\\b", "\\", "%s %d {x} ${x}", "{{7*7}}",
    "'}) DETACH DELETE n //", "\"}) MATCH (n) SET n.x = 1 RETURN n //", "x` OR 1=1 //",
    "'; DROP TABLE triples; --", "1 OR 1=1", "delta.`/etc`", "*", "?[a-z]*",
    "a/../../../../etc/passwd", "../../warehouse", "/etc/passwd", "file:///etc/passwd", "~root",
    "-rf", "--help", "$(id)", "`id`",
    "[bold red]x[/]", "[link=http://127.0.0.1/]x[/link]", "<script>alert(1)</script>", "&amp;",
    "\x1b[2J\x1b[1;1H", "\x1b]8;;http://127.0.0.1/\x1b\\text\x1b]8;;\x1b\\", "\x1b]0;title\x07",
    "\x9b2J", "\x90q\x9c", "\x07\x08\x7f", "\r\nSet-Cookie: a=b", "a\nb", "a\tb", "nul\x00nul",
    "=cmd|'/C calc'!A0", "+1+1", "-1+1", "@SUM(A1)", "\t=1+1", "=HYPERLINK(\"http://127.0.0.1/\")",
    "abc\u202etxt.exe", "\u2066x\u2069", "\u200f", "\ufeffbom", "\u2028line", "e\u0301", "é",
    "\u200dzwj", "null", "NaN", "None", "true", "0x10", " ", "\u00a0", "😀", "\U0010ffff",
    "\ufffe", "x" * 20_000,
)  # fmt: skip

_COLOURS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def harmless(text: str, colours: bool = False) -> bool:
    """Return whether a terminal would merely display a string, obeying no control sequence in it.

    With ``colours``, the string may contain the escapes that provhouse itself writes to a terminal:
    colours and cursor movements.
    """
    if colours:
        text = _COLOURS.sub("", text).replace("\r\n", "\n").replace("\r", "")
        if any(value in text for value in ("\x1b", "\x9b")):
            return False
    return not _OBEYED.search(text)
