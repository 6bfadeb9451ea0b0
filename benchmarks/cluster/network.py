"""Connect processes in network namespaces of their own to each other and to this process.

A process holds a namespace with a bridge. Pairs of virtual interfaces (veth) connect the bridge to
the namespace of this process and to those of others. None of this has a name in the file system, so
the kernel removes all of it when these processes have ended, even if they were killed.
"""

import os
import random
import shlex
import socket
import subprocess
import sys
from contextlib import closing

TRIES = 8
CHECKED = 253
"""The number of the process that only tries the network.

It is no other's, because the kernel removes an interface a while after its process has ended.
"""
SECONDS = 10
"""The longest time until a process in a namespace has reached this one."""


class Network:
    """A network of this process and of namespaces that join it.

    Raises OSError if the rights or the command ``ip`` are missing, or if a firewall is between this
    process and other namespaces.
    """

    def __init__(self) -> None:
        self._bridge: subprocess.Popen[str] | None = None
        self._prefix = ""
        # No real network has these addresses: they are reserved for benchmarks (RFC 2544).
        for third in random.sample(range(256), TRIES):
            if self._open(third):
                break
        else:
            raise OSError("no network namespace can be made")
        try:
            self._check()
        except BaseException:
            self.close()
            raise

    def address(self, number: int) -> str:
        """Return an address: 0 is this process, and 1 to 252 are free for commands."""
        return f"{self._prefix}.{number + 1}"

    def close(self) -> None:
        """Remove the network."""
        if self._bridge:
            self._bridge.communicate()  # closes its input
            self._bridge = None

    def joining(self, number: int) -> list[str]:
        """Return the commands by which a new namespace gets an address in the network."""
        assert self._bridge
        there = f"nsenter --net=/proc/{self._bridge.pid}/ns/net"
        return [
            "ip link set lo up",
            f"ip link add eth0 type veth peer name port{number} netns {self._bridge.pid}",
            f"ip address add {self.address(number)}/24 dev eth0",
            "ip link set eth0 up",
            f"{there} ip link set port{number} master bridge up",
        ]

    def _open(self, third: int) -> bool:
        """Start the bridge; return whether the addresses and the interface's name were free."""
        self._prefix, name, here = f"198.18.{third}", f"provhouse{third}", os.getpid()
        script = [
            "ip link add bridge type bridge",
            "ip link set bridge up",
            f"ip link add port0 type veth peer name {name} netns {here}",
            "ip link set port0 master bridge up",
            f"nsenter --net=/proc/{here}/ns/net ip address add {self.address(0)}/24 dev {name}",
            f"nsenter --net=/proc/{here}/ns/net ip link set {name} up",
            "echo ready",
            "exec cat",  # which ends with this process, whose end of the pipe is then closed
        ]
        self._bridge = subprocess.Popen(
            ["unshare", "--net", "sh", "-c", " && ".join(script)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            text=True,
        )
        assert self._bridge.stdout
        if self._bridge.stdout.readline() == "ready\n":
            return True
        self.close()
        return False

    def _check(self) -> None:
        """Raise OSError unless a process in the network can connect to this one."""
        with closing(socket.socket()) as found:
            found.bind((self.address(0), 0))
            found.listen()
            connect = f"import socket; socket.create_connection({found.getsockname()!r}, {SECONDS})"
            script = [*self.joining(CHECKED), shlex.join(["exec", sys.executable, "-c", connect])]
            command = ["unshare", "--net", "sh", "-c", " && ".join(script)]
            if subprocess.run(command, capture_output=True).returncode:
                raise OSError("no connection from a network namespace to this process")
