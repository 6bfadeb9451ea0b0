"""The tokens of several people: `WAREHOUSE/server/tokens.json`, with names, roles and hashes.

A token is shown once, when it is created; only its SHA-256 is stored. A slow hash such as scrypt
makes it expensive to try likely passwords. But a token has 256 random bits, so no token is more
likely than another, and a slow hash would only delay every request.
"""

import hashlib
import json
import re
import secrets
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path

from provhouse.model.errors import NotFound, Unavailable, UsageError
from provhouse.runtime.files import exclusive, write_over

from .server_file import folder

OWNER = "owner"
"""The name of the person with the token in `WAREHOUSE/server/token`."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,63}")

_HASH = re.compile(r"[0-9a-f]{64}")


class Role(StrEnum):
    """The roles, weakest first. Each may do all that the roles before it may do."""

    read = "read"
    write = "write"
    admin = "admin"

    def includes(self, role: "Role") -> bool:
        """Return whether this role has all rights of ``role``."""
        roles = list(Role)
        return roles.index(self) >= roles.index(role)


@dataclass(frozen=True)
class Token:
    """The record of a person's token, without the token itself. Times are in ISO 8601."""

    name: str
    role: Role
    sha256: str
    created: str
    until: str | None = None
    revoked: str | None = None

    def state(self, now: datetime) -> str:
        """Return ``valid``, ``expired`` or ``revoked``."""
        if self.revoked:
            return "revoked"
        return "expired" if self.until and now > datetime.fromisoformat(self.until) else "valid"


def hashed(token: str) -> str:
    """Return the SHA-256 of a token, in hexadecimal digits."""
    return hashlib.sha256(token.encode()).hexdigest()


def tokens_file(warehouse: Path) -> Path:
    """Return the path of the file with all tokens of a warehouse."""
    return folder(warehouse) / "tokens.json"


def read_tokens(file: Path) -> list[Token]:
    """Return all tokens in a file, including tokens that are no longer valid.

    Raises Unavailable if the file cannot be read.
    """
    try:
        return [_parsed(Token(**one)) for one in json.loads(_text(file))]
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise Unavailable(
            f"Cannot read the tokens in {file}",
            "Access is denied" if isinstance(error, OSError) else "Its content is damaged",
            "Correct the file, or delete it and add all tokens again",
        ) from error


def add_token(warehouse: Path, name: str, role: Role, until: datetime | None) -> str:
    """Create a token for a person, store its hash, and return the token.

    Replaces an expired or revoked token of that name. Raises UsageError if the name is invalid or
    has a valid token, or if ``until`` is in the past.
    """
    now = datetime.now(UTC)
    _check_name(name)
    if until and until <= now:
        raise UsageError(
            "The token would have expired already",
            f"--until is {until.isoformat()}",
            "Name a time in the future",
        )
    token = secrets.token_urlsafe(32)
    added = Token(name, role, hashed(token), _written(now), _written(until) if until else None)

    def change(tokens: Sequence[Token]) -> list[Token]:
        if any(one.name == name and one.state(now) == "valid" for one in tokens):
            raise UsageError(
                f"{name} already has a valid token",
                "A person has one token",
                f"Run `provhouse token revoke {name}` first, or choose another name",
            )
        return [*(one for one in tokens if one.name != name), added]

    _change(warehouse, change)
    return token


def revoke_token(warehouse: Path, name: str) -> None:
    """Make a person's token invalid at once. Raises NotFound if the name has no token."""
    now = _written(datetime.now(UTC))

    def change(tokens: Sequence[Token]) -> list[Token]:
        if name not in [one.name for one in tokens]:
            raise NotFound(
                f"There is no token for {name!r}",
                f"The names are: {', '.join(one.name for one in tokens) or 'none'}",
                "Run `provhouse token list` to see all tokens",
            )
        return [
            replace(one, revoked=now) if one.name == name and not one.revoked else one
            for one in tokens
        ]

    _change(warehouse, change)


def _change(warehouse: Path, change: Callable[[Sequence[Token]], list[Token]]) -> None:
    """Replace the tokens by the result of ``change``; only one process at a time can do this."""
    file = tokens_file(warehouse)
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with exclusive(file.with_name("tokens.lock")):
        tokens = sorted(change(read_tokens(file)), key=lambda one: one.name)
        write_over(file, json.dumps([asdict(one) for one in tokens], indent=1).encode(), mode=0o600)


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except FileNotFoundError:
        return "[]"


def _parsed(token: Token) -> Token:
    """Return a token that was read from a file; raises ValueError or TypeError if it is damaged."""
    if not _NAME.fullmatch(token.name) or not _HASH.fullmatch(token.sha256):
        raise ValueError
    for time in filter(None, (token.until, token.revoked)):
        if datetime.fromisoformat(time).tzinfo is None:
            raise ValueError
    return replace(token, role=Role(token.role))


def _check_name(name: str) -> None:
    if name == OWNER or not _NAME.fullmatch(name):
        raise UsageError(
            f"A token cannot have the name {name!r}",
            f"{OWNER!r} is the name of the warehouse's own token"
            if name == OWNER
            else "A name has up to 64 letters, digits, '.', '_', '@' and '-'",
            "Choose another name",
        )


def _written(time: datetime) -> str:
    return time.astimezone(UTC).isoformat(timespec="seconds")
