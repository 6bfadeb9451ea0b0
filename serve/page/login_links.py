"""Links that open the page logged in, and the keys that the page keeps.

A link has a token in its fragment, the part of a URL that browsers never send to a server. The
page's script exchanges the token for a key, once, and stores the key for its own origin. So a link
that was copied or logged is worthless afterwards. A cookie would be less safe: a browser sends it
to all servers on this machine, whatever their port. A key becomes invalid when its owner's token
does, and when the server ends: a program that later listens on the same port can receive only old
keys, which no server accepts any more.
"""

import hmac
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic

from ..auth import Identifies
from ..people import SCHEME, Person, Unidentified

LINK_SECONDS = 600.0
"""The number of seconds that a link can be opened."""
MOST = 256
"""The largest number of unopened links, and of keys. A further one replaces the oldest one."""


@dataclass(frozen=True)
class _Secret:
    """The token of a link, or a key, and the Authorization header of the person who owns it."""

    text: str
    owner: str
    until: float


class PageLinks:
    """Identifies people by their own tokens, and by the keys of pages that they opened."""

    def __init__(self, people: Identifies, clock: Callable[[], float] = monotonic) -> None:
        self._people = people
        self._clock = clock
        self._links: list[_Secret] = []
        self._keys: list[_Secret] = []

    def person(self, authorization: str) -> Person:
        """Return the person with the token or key in an Authorization header.

        Raises Unidentified if there is none, or if the person's own token is no longer valid.
        """
        return self._people.person(self._owner(authorization))

    def link(self, authorization: str) -> str:
        """Return the token of a new link for the sender of a request."""
        owner = self._owner(authorization)
        made = _Secret(secrets.token_urlsafe(32), owner, self._clock() + LINK_SECONDS)
        self._links = [*self._links, made][-MOST:]
        return made.text

    def exchange(self, token: str) -> str:
        """Return a key for a link's token, once; raises Unidentified if the token is invalid."""
        found = _among(self._links, token)
        if found is None or found.until < self._clock():
            raise Unidentified(
                "The link was opened before, has expired, or is of a server that has ended",
                "Run `provhouse up` for a new link, or log in with a token",
            )
        self._links = [each for each in self._links if each is not found]
        self._people.person(found.owner)
        key = _Secret(secrets.token_urlsafe(32), found.owner, found.until)
        self._keys = [*self._keys, key][-MOST:]
        return key.text

    def leave(self, authorization: str) -> None:
        """Make the key in an Authorization header invalid."""
        found = _among(self._keys, authorization.removeprefix(SCHEME))
        self._keys = [each for each in self._keys if each is not found]

    def _owner(self, authorization: str) -> str:
        """Replace a header with a key by its owner's header; return other headers unchanged."""
        found = _among(self._keys, authorization.removeprefix(SCHEME))
        return found.owner if found and authorization.startswith(SCHEME) else authorization


def _among(secrets: list[_Secret], text: str) -> _Secret | None:
    """Return the secret that equals ``text``. All secrets are compared, each in constant time."""
    given = text.encode()
    found = [each for each in secrets if hmac.compare_digest(each.text.encode(), given)]
    return found[0] if found else None
