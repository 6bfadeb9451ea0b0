"""Text with visible characters only: others are escaped, because some can control a terminal."""

import unicodedata

# Persian and Indic scripts need the joiners, which are harmless.
_JOINERS = "\u200c\u200d"
_HIDDEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_NO_CHARACTERS = "\ufffe\uffff"


def visible(text: str) -> str:
    """Return a string on one line, with control, bidi and invisible characters escaped."""
    return text if text.isascii() and text.isprintable() else "".join(map(_character, text))


def _character(character: str) -> str:
    hidden = unicodedata.category(character) in _HIDDEN or character in _NO_CHARACTERS
    if not hidden or character in _JOINERS:
        return character
    if character in _SHORT:
        return _SHORT[character]
    return character.encode("ascii", "backslashreplace").decode() if ord(character) > 127 else (
        f"\\x{ord(character):02x}"
    )  # fmt: skip
