"""The proving process: it reads plans and tables as JSON from a socket, and writes the result.

It keeps z3 loaded, and forks for each proof.
"""

import gc
import json
import os
import signal
import socket
import sys
from dataclasses import asdict

from ..plan_json import from_json
from .prover import attempt
from .schema import schema_from_json
from .solver import Solver


def main() -> None:
    """Answer each socket that is sent over the socket whose file descriptor is the argument."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGCHLD, _reap)
    Solver(1)  # loads what z3 loads when it is first used
    gc.freeze()
    with socket.socket(fileno=int(sys.argv[1])) as requests:
        while True:
            message, given, _, _ = socket.recv_fds(requests, 16, 1)
            if not message:
                return
            if not os.fork():
                requests.close()
                try:
                    _prove(given[0])
                finally:
                    os._exit(0)
            os.close(given[0])


def _reap(*_: object) -> None:
    """Reap child processes that have ended."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return


def _prove(number: int) -> None:
    """Attempt one proof, and write the result to the socket."""
    sys.setrecursionlimit(10_000)
    with socket.socket(fileno=number) as conversation:
        text = b"".join(iter(lambda: conversation.recv(1 << 16), b""))
        (first, second), tables = json.loads(text)
        found = attempt(from_json(first), from_json(second), schema_from_json(tables))
        conversation.sendall(json.dumps(asdict(found)).encode())


if __name__ == "__main__":
    main()
