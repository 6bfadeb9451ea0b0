"""The server's listening addresses: loopback, and with TLS also ``server_address``.

Without TLS, the server listens on loopback only, whatever the settings are. A reverse proxy on the
same machine that terminates TLS connects to the loopback port.
"""

import re
import socket
import ssl
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address
from pathlib import Path

from provhouse.model.errors import Unavailable, UsageError
from provhouse.model.settings import Settings

from .log import log
from .server_file import HOST

BACKLOG = 256
"""The largest number of new connections that the system queues until the server accepts them.

In each cycle of its event loop, the server accepts all queued connections before it reads requests.
"""
_NAME = re.compile(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?")
_Version = tuple[tuple[int, int], ...]


class TlsListener:
    """A socket that listens for TLS, and its certificate, which may be renewed at any time."""

    def __init__(self, address: "_Address", certificate: Path, key: Path | None) -> None:
        self._files = (certificate, key)
        self._version = self._read_version()
        self.context = _context(certificate, key)
        self.socket = listen(str(address.host), address.port)

    def renew(self) -> None:
        """Load the certificate and its key again if their files have changed and match."""
        version = self._read_version()
        if version == self._version:
            return
        self._version = version
        try:
            _context(*self._files)  # a wrong file would spoil the context that is in use
            self.context.load_cert_chain(*self._files, password="")
            log.info("The certificate in %s was renewed", self._files[0])
        except (UsageError, OSError) as error:
            log.error("The certificate was not renewed: %s", error)

    def _read_version(self) -> _Version:
        try:
            found = [file.stat() for file in self._files if file]
        except OSError:
            return ()
        return tuple((one.st_mtime_ns, one.st_ino) for one in found)


@dataclass(frozen=True)
class _Address:
    host: IPv4Address | IPv6Address
    port: int


def check_listening(settings: Settings) -> None:
    """Raise the errors with which a server with these settings would fail to start listening.

    Raises UsageError if the settings that begin with ``server_`` do not fit together, and
    Unavailable if a port is in use.
    """
    server_names(settings)
    if address := _address(settings):
        _context(*_certificate(settings, address))
        check_port(str(address.host), address.port)
    check_port(HOST, settings.server_port)


def check_port(host: str, port: int) -> None:
    """Raise Unavailable if the port is in use, or the address does not belong to this machine."""
    listen(host, port).close()


def tls_listener(settings: Settings) -> TlsListener | None:
    """Return the listener at ``server_address``, or None if the setting is empty.

    Raises UsageError if the settings contradict each other, and Unavailable if the address is in
    use.
    """
    address = _address(settings)
    return TlsListener(address, *_certificate(settings, address)) if address else None


def server_names(settings: Settings) -> frozenset[str]:
    """Return the host names, in lower case, that clients use for the server.

    Raises UsageError for an invalid host name, and if no name is set although the server listens on
    all addresses.
    """
    names = {name.strip().lower() for name in settings.server_names.split(",") if name.strip()}
    for name in names:
        if not _NAME.fullmatch(name):
            raise UsageError(
                f"The setting server_names contains {name!r}, which is not a host name",
                "It must list host names without scheme and port, separated by commas",
                "Correct it, for example: server_names = 'lineage.example.com'",
            )
    address = _address(settings)
    if address and address.host.is_unspecified and not names:
        raise UsageError(
            "The setting server_names is empty",
            f"The server would listen on all addresses ({settings.server_address}), so it cannot "
            "know the names that clients use",
            "Name them, for example: server_names = 'lineage.example.com'",
        )
    return frozenset(names | ({str(address.host)} if address else set()))


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens at an IP address; raises Unavailable if that is impossible."""
    # asyncio sets TCP_NODELAY only on sockets created with IPPROTO_TCP. Without TCP_NODELAY, on a
    # reused connection, the body of an answer waits 40 ms until the client has acknowledged the
    # head.
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen(BACKLOG)
    except OSError as error:
        listening.close()
        raise Unavailable(
            f"The server cannot listen at {host}, port {port}",
            error.strerror or str(error),
            "Choose another port or address: see server_port and server_address in the settings",
        ) from error
    return listening


def _address(settings: Settings) -> _Address | None:
    if not settings.server_address:
        return None
    host, _, port = settings.server_address.rpartition(":")
    try:
        if port.isdecimal() and 0 < int(port) < 1 << 16:
            return _Address(ip_address(host.strip("[]")), int(port))
    except ValueError:
        pass
    raise UsageError(
        "The setting server_address is not an IP address with a port",
        f"It is {settings.server_address!r}",
        "Write 0.0.0.0:8443 for all addresses, or one address of this machine: 192.0.2.1:8443",
    )


def _certificate(settings: Settings, address: _Address) -> tuple[Path, Path | None]:
    if settings.server_certificate is None:
        raise UsageError(
            f"The server does not listen at {address.host} without TLS",
            "Without a certificate, anyone on the network could read tokens and answers",
            "Set server_certificate and server_key; or remove server_address, and end TLS in a "
            f"reverse proxy on this machine that connects to {HOST}",
        )
    return settings.server_certificate, settings.server_key


def _context(certificate: Path, key: Path | None) -> ssl.SSLContext:
    """Return the TLS context of a server; without ``key``, the certificate's file has the key."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    try:
        # With an empty password, an encrypted key is an error; else OpenSSL would ask for one.
        context.load_cert_chain(certificate, key, password="")
    except OSError as error:
        raise UsageError(
            f"Cannot use the certificate {certificate}" + (f" with the key {key}" if key else ""),
            error.strerror or str(error),
            "Name a certificate and its key in PEM, the key without a password: see "
            "server_certificate and server_key in the settings",
        ) from error
    return context
