"""Parse statements that store the rows of a query: CREATE TABLE AS, INSERT and COPY TO.

Every token before and after the query is parsed. The error for an unknown clause names the clause.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NoReturn

from sqlglot.errors import TokenError
from sqlglot.tokenizer_core import Token, TokenType

from provhouse.sql.dialect import Verbatim
from provhouse.sql.not_covered import NotCovered
from provhouse.sql.quoting import quoted

ALONE = "Run the statement without lineage=True, with execute()"
OPTIONS = {
    "FORMAT", "COMPRESSION", "COMPRESSION_LEVEL", "ROW_GROUP_SIZE", "ROW_GROUP_SIZE_BYTES",
    "PARQUET_VERSION",
}  # fmt: skip
"""The options of COPY that change neither the rows of a file nor their order."""
CSV_OPTIONS = {"HEADER", "DELIMITER", "DELIM", "SEP"}
_EXTENSIONS = {
    ".parquet": "parquet", ".csv": "csv", ".csv.gz": "csv", ".json": "json", ".jsonl": "json",
}  # fmt: skip
"""The format that COPY writes, by the extension of the file."""
_QUOTED = (TokenType.IDENTIFIER, TokenType.STRING)


Format = Literal["parquet", "csv", "json"]
_FORMATS: dict[str, Format] = {"parquet": "parquet", "csv": "csv", "json": "json"}


@dataclass(frozen=True)
class Storing:
    """A statement that stores the rows of a query."""

    kind: Literal["CREATE TABLE", "INSERT", "COPY"]
    query: str
    target: tuple[str, ...]
    """The parts of the table's name, or the path of the file."""
    columns: tuple[str, ...] = ()
    """The columns that the statement lists; empty if it lists none."""
    by_name: bool = False
    format: Format = "parquet"
    """The format of the file."""
    delimiter: str = ","
    """The string between the values of a CSV file."""


def storing(text: str) -> Storing | None:
    """Parse a statement that stores rows; return None for a query or any other statement.

    Raises NotCovered for a clause that prevents lineage of the rows.
    """
    try:
        tokens = Verbatim().tokenize(text)
    except TokenError:
        return None
    while tokens and tokens[-1].token_type is TokenType.SEMICOLON:
        tokens.pop()
    reader = _Reader(text, tokens)
    if reader.takes("CREATE"):
        return _created(reader)
    if reader.takes("INSERT"):
        return _inserted(reader)
    if reader.takes("COPY"):
        return _copied(reader)
    return None


class _Reader:
    """A reader of a statement's tokens, from the first to the last."""

    def __init__(self, text: str, tokens: Sequence[Token]) -> None:
        self._text, self._tokens, self._at = text, tokens, 0

    def word(self, after: int = 0) -> str:
        """Return the next token, or the one ``after`` tokens later, without consuming it.

        The token is in upper case, unless it is quoted: then it is returned with its quotes.
        """
        at = self._at + after
        if at >= len(self._tokens):
            return ""
        token = self._tokens[at]
        if token.token_type in _QUOTED:
            return self._text[token.start : token.end + 1]
        return token.text.upper()

    def takes(self, *words: str) -> bool:
        """Consume ``words`` if they come next; return whether they do."""
        found = all(self.word(at) == word for at, word in enumerate(words))
        self._at += len(words) if found else 0
        return found

    def expect(self, statement: str, *words: str) -> None:
        """Consume ``words``. Raises NotCovered, naming the actual word, if others come next."""
        if not self.takes(*words):
            self.refuse(f"{self.word() or 'the end of the text'} in {statement}")

    def refuse(self, what: str) -> NoReturn:
        """Raise NotCovered for a part of the statement, with its position."""
        last = self._tokens[min(self._at, len(self._tokens) - 1)]
        column = last.col - (last.end - last.start)
        place = f"It is in line {last.line}, column {column}"
        raise NotCovered(f"Lineage of {what} is not supported", place, ALONE)

    def name(self, statement: str) -> str:
        """Read one part of a name."""
        token = self._tokens[self._at] if self._at < len(self._tokens) else None
        quoted = token is not None and token.token_type is TokenType.IDENTIFIER
        if token is None or not (quoted or token.text.replace("$", "_").isidentifier()):
            self.refuse(f"{self.word() or 'the end of the text'} in {statement}")
        self._at += 1
        return token.text

    def names(self, statement: str) -> tuple[str, ...]:
        """Read a name with dots."""
        found = [self.name(statement)]
        while self.takes("."):
            found.append(self.name(statement))
        return tuple(found)

    def listed(self, statement: str) -> tuple[str, ...]:
        """Read a list of columns in parentheses; return no columns if a query comes next."""
        if self.word() != "(" or self._begins_query(1):
            return ()
        self.expect(statement, "(")
        found = [self.name(statement)]
        while self.takes(","):
            found.append(self.name(statement))
        self.expect(statement, ")")
        return tuple(found)

    def _begins_query(self, after: int) -> bool:
        return self.word(after) in {"SELECT", "FROM", "WITH", "VALUES", "(", "TABLE", "PIVOT"}

    def string(self, statement: str) -> str:
        """Read a string in single quotes."""
        token = self._tokens[self._at] if self._at < len(self._tokens) else None
        if token is None or token.token_type is not TokenType.STRING:
            self.refuse(f"{self.word() or 'the end of the text'} in {statement}")
        self._at += 1
        return token.text

    def value(self) -> str:
        """Read the value of an option, which is one token."""
        self._at += 1
        return self._tokens[self._at - 1].text if self._at <= len(self._tokens) else ""

    def query(self, statement: str, within: bool = False) -> str:
        """Read a query up to the end, or, if ``within``, up to the parenthesis that closes it.

        Clauses of the statement after the query are refused.
        """
        first, depth = self._at, 0
        while self._at < len(self._tokens):
            word = self.word()
            depth += (word == "(") - (word == ")")
            if depth < 0 and within:
                break
            if not depth:
                self._refuse_clause(statement, word)
            self._at += 1
        if first == self._at:
            self.refuse(f"{statement} without a query")
        return self._text[self._tokens[first].start : self._tokens[self._at - 1].end + 1]

    def _refuse_clause(self, statement: str, word: str) -> None:
        after = self.word(1)
        if word == ";":
            self.refuse("several statements in one text")
        if word == "RETURNING" or (word, after) == ("ON", "CONFLICT"):
            self.refuse(f"{'ON CONFLICT' if word == 'ON' else word} in {statement}")
        if word == "WITH" and (after, self.word(2)) in {("DATA", ""), ("NO", "DATA")}:
            self.refuse(f"WITH {after} in {statement}")

    def end(self, statement: str) -> None:
        """Raise NotCovered unless all tokens are read."""
        if self.word():
            self.refuse(f"{self.word()} in {statement}")


def _created(reader: _Reader) -> Storing:
    statement = "CREATE TABLE"
    for words in (("OR", "REPLACE"), ("TEMP",), ("TEMPORARY",)):
        reader.takes(*words)
    reader.expect("CREATE", "TABLE")
    if reader.word() == "IF" and reader.word(1) == "NOT":
        reader.refuse("IF NOT EXISTS in CREATE TABLE")
    name = reader.names(statement)
    columns = reader.listed(statement)
    reader.expect(statement, "AS")
    return Storing("CREATE TABLE", reader.query(statement), name, columns)


def _inserted(reader: _Reader) -> Storing:
    reader.expect("INSERT", "INTO")
    name, columns = reader.names("INSERT"), reader.listed("INSERT")
    by_name = reader.takes("BY", "NAME")
    reader.takes("BY", "POSITION")
    if reader.word() in {"VALUES", "DEFAULT", "AS"}:
        reader.refuse(f"{reader.word()} in INSERT")
    return Storing("INSERT", reader.query("INSERT"), name, columns, by_name)


def _copied(reader: _Reader) -> Storing:
    if reader.takes("("):
        query = reader.query("COPY", within=True)
        reader.expect("COPY", ")")
    else:
        parts = reader.names("COPY")
        query = f"from {'.'.join(map(quoted, parts))}"
    reader.expect("COPY", "TO")
    path = reader.string("COPY")
    ending = next((each for each in _EXTENSIONS if path.lower().endswith(each)), "")
    reader.takes("WITH")
    options = _options(reader) if reader.takes("(") else {}
    reader.end("COPY")
    format_ = _FORMATS.get(options.get("FORMAT", _EXTENSIONS.get(ending, "")).lower())
    if format_ is None:
        reader.refuse("COPY to another format than Parquet, CSV and JSON")
    if "://" in path or any(each in path for each in "*?[~"):
        reader.refuse(f"COPY to {path!r}, which is no path of one local file,")
    delimiter = options.get("DELIMITER", ",")
    return Storing("COPY", query, (path,), format=format_, delimiter=delimiter)


def _options(reader: _Reader) -> dict[str, str]:
    """Read the options of COPY, and return their values by name."""
    found: dict[str, str] = {}
    while True:
        option = reader.name("COPY").upper()
        if option not in OPTIONS | CSV_OPTIONS:
            reader.refuse(f"{option} in COPY")
        bare = reader.word() in (",", ")")
        value = "" if bare else reader.value()
        if option == "HEADER" and not (bare or value.lower() in ("true", "1")):
            reader.refuse("COPY without a header")
        found["DELIMITER" if option in ("DELIM", "SEP") else option] = value
        if not reader.takes(","):
            break
    reader.expect("COPY", ")")
    return found
