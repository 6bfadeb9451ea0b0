"""The health check of a container: exit with 0 if the server can answer.

A server whose warehouse is still empty is healthy too: it waits for the first ingest.
"""

import sys

from provhouse.model.errors import ProvhouseError
from provhouse.model.settings import Settings
from provhouse.serve.client import Client


def main() -> int:
    """Print why the server cannot answer, and return the exit status: 0 or 1."""
    try:
        client = Client.of(Settings.load({}).warehouse)
        if client is None:
            print("No server is running")
            return 1
        health = client.health()
    except ProvhouseError as error:
        print(error)
        return 1
    if health["empty"]:
        print("The warehouse is empty")
        return 0
    print(health["why"] or f"The server answers from generation {health['generation']}")
    return 0 if health["ready"] else 1


if __name__ == "__main__":
    sys.exit(main())
