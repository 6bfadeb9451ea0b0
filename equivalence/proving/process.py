"""Start the proving process when it is first needed, and keep it for further proofs.

Loading z3 takes longer than most proofs. Therefore one process loads it, and forks for each proof:
if a proof crashes or needs too much memory, only its own process ends. The proving process ends
when the process that started it ends.
"""

import atexit
import socket
import subprocess
import sys
from threading import Lock

from provhouse.sql.time_limit import seconds_left

COMMAND = (sys.executable, "-m", "provhouse.equivalence.proving.child")


class Process:
    """The proving process, and the socket over which each proof's own socket is sent."""

    def __init__(self) -> None:
        self._lock = Lock()
        self.running: subprocess.Popen[bytes] | None = None
        self._requests: socket.socket | None = None

    def answer(self, given: bytes) -> bytes:
        """Return the process's answer; empty if it ends, or the time is up, before it answers."""
        ours, theirs = socket.socketpair()
        with ours:
            with theirs:
                self._send(theirs)
            ours.settimeout(seconds_left())
            try:
                ours.sendall(given)
                ours.shutdown(socket.SHUT_WR)
                return b"".join(iter(lambda: ours.recv(1 << 16), b""))
            except OSError:
                return b""

    def close(self) -> None:
        """End the proving process."""
        if self._requests and self.running:
            self._requests.close()
            self.running.wait()
        self._requests = self.running = None

    def _send(self, conversation: socket.socket) -> None:
        """Send a socket to the proving process, and start the process if it is not running."""
        with self._lock:
            if self._requests is None or not self._sent(self._requests, conversation):
                self.close()
                self._requests = self._started()
                self._sent(self._requests, conversation)

    @staticmethod
    def _sent(requests: socket.socket, conversation: socket.socket) -> bool:
        try:
            socket.send_fds(requests, [b"proof"], [conversation.fileno()])
        except OSError:
            return False
        return True

    def _started(self) -> socket.socket:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            number = theirs.fileno()
            self.running = subprocess.Popen(
                (*COMMAND, str(number)),
                pass_fds=(number,),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
        return ours


PROCESS = Process()
atexit.register(PROCESS.close)
