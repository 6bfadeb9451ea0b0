"""Identify the person to whom the token of a request belongs.

The file with the tokens is read again when it changes, so a token that is added or revoked takes
effect with the next request.
"""

import hmac
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

from fastapi import Depends, Request

from provhouse.model.errors import Unavailable, UsageError

from .log import log
from .tokens import OWNER, Role, Token, hashed, read_tokens, tokens_file

SCHEME = "Bearer "
_Version = tuple[int, int, int] | None


@dataclass(frozen=True)
class Person:
    """The person who sent a request."""

    name: str
    role: Role


class Unidentified(Exception):
    """A request has no valid token; ``why`` is the reason, and ``remedy`` is the next step."""

    def __init__(self, why: str, remedy: str) -> None:
        super().__init__(why, remedy)
        self.why = why
        self.remedy = remedy


class Forbidden(UsageError):
    """A person's role does not permit the request."""


class People:
    """All people who may use one server: the warehouse's owner and the people with tokens."""

    def __init__(self, warehouse: Path, owner_token: str) -> None:
        self._file = tokens_file(warehouse)
        self._owner = hashed(owner_token)
        self._version: _Version = None
        self._tokens: list[Token] = []

    def person(self, authorization: str) -> Person:
        """Return the person with the token in an Authorization header; raises Unidentified."""
        given = hashed(authorization.removeprefix(SCHEME))
        is_owner = hmac.compare_digest(given, self._owner)
        # The hash is compared with every token's hash in constant time, so the time of a reply
        # reveals neither which tokens exist nor how much of a token was guessed.
        found = [one for one in self._current() if hmac.compare_digest(given, one.sha256)]
        if authorization.startswith(SCHEME):
            if is_owner:
                return Person(OWNER, Role.admin)
            if found:
                return _valid(found[0])
        raise Unidentified(
            "The token is missing, incomplete or unknown",
            "Send `Authorization: Bearer TOKEN` with a token that `provhouse token add` printed, or"
            " with the content of WAREHOUSE/server/token",
        )

    def _current(self) -> list[Token]:
        """Return the stored tokens; none if the file is damaged, so that no token is accepted."""
        version = self._read_version()
        if version != self._version:
            try:
                self._tokens = read_tokens(self._file)
            except Unavailable as error:
                log.error("%s", error)
                self._tokens = []
            self._version = version
        return self._tokens

    def _read_version(self) -> _Version:
        try:
            found = self._file.stat()
        except FileNotFoundError:
            return None
        return found.st_ino, found.st_mtime_ns, found.st_size


def _valid(token: Token) -> Person:
    state = token.state(datetime.now(UTC))
    if state == "valid":
        return Person(token.name, token.role)
    when = token.revoked if state == "revoked" else token.until
    raise Unidentified(
        f"The token of {token.name} {'was revoked' if state == 'revoked' else 'expired'} at {when}",
        "Ask the owner of the warehouse for a new one: `provhouse token add`",
    )


def _has_role(role: Role, request: Request) -> Person:
    person: Person = request.scope["person"]
    if not person.role.includes(role):
        raise Forbidden(
            f"{request.method} {request.url.path} needs the role {role}",
            f"The token of {person.name} has the role {person.role}",
            f"Ask the owner of the warehouse for a token with the role {role}",
        )
    return person


def may_write(request: Request) -> bool:
    """Return whether a request's sender may write into the warehouse."""
    person: Person = request.scope["person"]
    return person.role.includes(Role.write)


async def _writer(request: Request) -> Person:
    return _has_role(Role.write, request)


async def _admin(request: Request) -> Person:
    return _has_role(Role.admin, request)


ADMIN_ONLY = Depends(_admin)
"""The dependency of a route that needs the role ``admin``."""
Writer = Annotated[Person, Depends(_writer)]
"""The parameter of a route that needs the role ``write``."""
Admin = Annotated[Person, ADMIN_ONLY]
"""The parameter of a route that needs the role ``admin``."""
