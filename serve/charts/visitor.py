"""The one person who may use a page: the first person who opens its link.

The link has a token in its fragment, the part of a URL that browsers never send to a server. The
page's script exchanges the token for a key, once, and keeps the key for its tab. So a link that was
copied or logged is worthless afterwards. A cookie would be less safe: a browser sends it to all
servers on this machine, whatever their port.
"""

import hmac
import secrets

from ..people import SCHEME, Person, Unidentified
from ..tokens import Role


class Visitor:
    """The token of a page's link, and the key, which is returned once in exchange for the token."""

    def __init__(self) -> None:
        self.token = secrets.token_urlsafe(32)
        self._key = secrets.token_urlsafe(32)
        self._taken = False

    def exchange(self, token: str) -> str:
        """Return the key for a token; raises Unidentified if the token is wrong or was used."""
        if not _equal(token, self.token):
            raise Unidentified("The token is wrong", "Open the printed link")
        if self._taken:
            raise Unidentified(
                "The link was opened before, and works only once",
                "Use the tab in which it was opened, or run the command again",
            )
        self._taken = True
        return self._key

    def person(self, authorization: str) -> Person:
        """Return the visitor if an Authorization header has the key; raises Unidentified."""
        key = authorization.removeprefix(SCHEME)
        if not (authorization.startswith(SCHEME) and _equal(key, self._key)):
            raise Unidentified(
                "The page has no valid key", "Open the link that the command printed"
            )
        return Person("visitor", Role.write)


def _equal(one: str, other: str) -> bool:
    return hmac.compare_digest(one.encode(), other.encode())
