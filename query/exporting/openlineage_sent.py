"""Write events of OpenLineage to a file, or send them to a service."""

import json
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import TextIO
from urllib.parse import urlsplit

import requests

from provhouse.model.errors import ProvhouseError, Unavailable, UsageError

from .openlineage_events import Json

API_KEY = "OPENLINEAGE_API_KEY"
"""The environment variable with the service's key. OpenLineage's own clients use it too."""
SECONDS = 30.0
"""The longest time in seconds to wait for a reply from the service."""
_LOCAL = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True)
class EventsWritten:
    """The number of events, and the file or URL that they were written or sent to."""

    events: int
    to: str


def is_address(to: str) -> bool:
    """Return whether a destination is a URL, rather than a file."""
    return to.startswith(("http://", "https://"))


def write(events: Iterator[Json], handle: TextIO, to: str) -> EventsWritten:
    """Write events as JSON lines."""
    count = 0
    for event in events:
        handle.write(json.dumps(event, ensure_ascii=False) + "\n")
        count += 1
    return EventsWritten(count, to)


def send(events: Iterator[Json], url: str) -> EventsWritten:
    """Post each event. Raises Unavailable if the service does not accept an event.

    Raises UsageError if the key of the service would be sent without encryption.
    """
    key, count = os.environ.get(API_KEY, ""), 0
    if key and url.startswith("http:") and _host(url) not in _LOCAL:
        raise UsageError(
            f"The key in {API_KEY} cannot be sent to {url}",
            "Anyone on the way could read it, since http is not encrypted",
            f"Use https, or unset {API_KEY}",
        )
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    with requests.Session() as session:
        for count, event in enumerate(events, 1):
            try:
                reply = session.post(
                    url, json=event, headers=headers, timeout=SECONDS, allow_redirects=False
                )
            except (requests.RequestException, ValueError) as error:
                raise _refused(url, count, f"It gives no reply: {_plain(error)}") from error
            if reply.status_code // 100 != 2:  # a redirected POST would become a GET
                raise _refused(url, count, f"Its reply has the status {reply.status_code}")
    return EventsWritten(count, url)


def _host(url: str) -> str | None:
    with suppress(ValueError):
        return urlsplit(url).hostname
    return None


def _plain(error: Exception) -> str:
    kinds = {
        requests.Timeout: f"none came within {SECONDS:g} seconds",
        requests.exceptions.SSLError: "its certificate is not trusted",
        requests.ConnectionError: "there is no connection",
    }
    return next((text for kind, text in kinds.items() if isinstance(error, kind)), "bad address")


def _refused(url: str, count: int, why: str) -> ProvhouseError:
    return Unavailable(
        f"{url} did not accept event {count}",
        why,
        "Check the address, and run the command again: events sent again are the same runs",
    )
