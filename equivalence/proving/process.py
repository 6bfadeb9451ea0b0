"""The process that proves, started when it is first needed and kept for further proofs.

z3 takes longer to load than most proofs take. So one process loads it, and forks for each proof: a
proof that crashes or needs much memory ends alone. The process ends when this one does.
"""

import atexit
import socket
import subprocess
import sys
from threading import Lock

from provhouse.sql.time_limit import seconds_left

COMMAND = (sys.executable, "-m", "provhouse.equivalence.proving.child")


class Process:
    """The process, and the socket to which each proof's own socket is sent."""

    def __init__(self) -> None:
        self._lock = Lock()
        self.running: subprocess.Popen[bytes] | None = None
        self._requests: socket.socket | None = None

    def answer(self, given: bytes) -> bytes:
        """Return what the process answers; nothing if the proof or the time limit ends first."""
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
        """End the process."""
        if self._requests and self.running:
            self._requests.close()
            self.running.wait()
        self._requests = self.running = None

    def _send(self, conversation: socket.socket) -> None:
        """Send a socket to the process, which is started if it does not run."""
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
