"""The list of people's tokens, without the tokens themselves."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields

from ..sections import Section, grid, styled
from ..shown_result import Csv, Json, ShownResult


@dataclass(frozen=True)
class ListedToken:
    """One person's token. Times are in ISO 8601."""

    name: str
    role: str
    state: str
    """``valid``, ``expired`` or ``revoked``."""
    created: str
    until: str | None
    revoked: str | None


@dataclass(frozen=True)
class TokensResult(ShownResult):
    """All tokens of a warehouse, including expired and revoked tokens."""

    tokens: Sequence[ListedToken]
    listed = True

    def text(self, timing: bool = False) -> Iterator[Section]:
        """Yield a table with a row for each token."""
        if not self.tokens:
            yield styled("There are no tokens besides WAREHOUSE/server/token.")
            return
        table = grid("name", "role", "state", "created", "until")
        for one in self.tokens:
            table.add_row(one.name, one.role, one.state, _short(one.created), _short(one.until))
        yield table

    def json(self) -> Iterator[Json]:
        """Yield an object for each token; see ``schemas/tokens.json``."""
        return map(asdict, self.tokens)

    def csv(self) -> Csv:
        """Return a row for each token."""
        names = [field.name for field in fields(ListedToken)]
        return names, (tuple(row.values()) for row in self.json())


def _short(time: str | None) -> str:
    return time.replace("+00:00", "Z").replace("T", " ") if time else "-"
