"""What a managed server needs in its home folder before it starts: configuration, password."""

import errno
import hashlib
import os
import random
import secrets
import socket
from pathlib import Path

from provhouse.model.errors import Unavailable
from provhouse.runtime.files import write_new

USER = "neo4j"
DATABASE = "neo4j"  # the only one that Community has; named, it saves a round trip
HOST = "127.0.0.1"

# A comment must have its own line: Neo4j takes one behind a value for part of it.
CONF = """\
# Written at each start.
server.default_listen_address={host}
server.default_advertised_address={host}
server.bolt.listen_address={host}:{bolt}
server.bolt.advertised_address={host}:{bolt}
server.http.listen_address={host}:{http}
server.http.advertised_address={host}:{http}
server.https.enabled=false
dbms.security.auth_enabled=true
# LOAD CSV reads neither files nor addresses.
dbms.security.allow_csv_import_from_file_urls=false
internal.dbms.cypher_ip_blocklist=0.0.0.0/0,::/0
dbms.usage_report.enabled=false
client.allow_telemetry=false
server.memory.pagecache.size={pagecache}
# The default reserves 256 MB for each of two databases before anything is written.
db.tx_log.preallocate=false
db.tx_log.rotation.size=16m
db.tx_log.rotation.retention_policy=keep_none
# A stop would wait 5 seconds twice for clients that may still speak; ours are gone by then.
internal.dbms.bolt.netty_server_shutdown_quiet_period=0
"""


def write_conf(home: Path, bolt: int, http: int, pagecache: str) -> None:
    """Write ``conf/neo4j.conf`` and the folders that the server expects."""
    for folder in ("conf", "data", "import", "logs"):
        (home / folder).mkdir(exist_ok=True)
    text = CONF.format(host=HOST, bolt=bolt, http=http, pagecache=pagecache)
    (home / "conf" / "neo4j.conf").write_text(text, encoding="utf-8")


def password_file(home: Path) -> Path:
    """The file that holds the password; only its owner can read it."""
    return home / "password"


def read_password(home: Path) -> str:
    """The password of this home's server; raises Unavailable where it cannot be read."""
    file = password_file(home)
    try:
        return file.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise Unavailable(
            f"The password of Neo4j should be in {file}",
            f"It cannot be read: {error}",
            f"Put it back; or remove {home}, and rebuild what it held with: provhouse repair",
        ) from error


def ensure_password(home: Path) -> str:
    """The password; made on the first call, together with the hash that the server starts from.

    The hash goes where ``neo4j-admin dbms set-initial-password`` puts it, in its form. That
    command takes the password as an argument, which the process list shows, and a start of Java;
    without it the first start would be open to the default password.
    """
    # The server reads the hash only while it has no users; until then writing it again is safe,
    # and needed should the first start have been cut off.
    if (home / "data" / "databases" / "system").exists():
        return read_password(home)
    if not password_file(home).exists():
        _write_private(password_file(home), secrets.token_urlsafe(18) + "\n")
    password = read_password(home)
    folder = home / "data" / "dbms"
    folder.mkdir(parents=True, exist_ok=True)
    hashes = folder / "auth.ini"
    hashes.unlink(missing_ok=True)
    _write_private(hashes, f"{USER}:{_hashed(password)}:\n")
    return password


def _write_private(file: Path, text: str) -> None:
    """It appears whole: half a password, after a crash, would lock everybody out for ever."""
    if not write_new(file, text.encode("ascii"), mode=0o600):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(file))


def _hashed(password: str) -> str:
    """A salted SHA-256 as Neo4j 5 stores it: algorithm, hash, salt, rounds."""
    salt, rounds = secrets.token_bytes(32), 1024
    hashed = salt + password.encode()
    for _ in range(rounds):
        hashed = hashlib.sha256(hashed).digest()
    return f"SHA-256,{hashed.hex()},{salt.hex()},{rounds}"


def free_ports() -> tuple[int, int]:
    """Two ports that nobody listens on.

    They lie below those that systems hand out to outgoing connections, so that a remembered port
    is rarely taken the next time.
    """
    while True:
        bolt, http = random.sample(range(17_000, 32_000), 2)
        if is_free(bolt) and is_free(http):
            return bolt, http


def is_free(port: int) -> bool:
    """Whether a server could listen on this port."""
    with socket.socket() as probe:
        # As Java does: a port whose last connections are still closing counts as free.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            return False
    return True
