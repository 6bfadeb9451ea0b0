"""Set up a managed Neo4j server before it starts: its configuration, password and ports."""

import errno
import hashlib
import os
import random
import secrets
import socket
from pathlib import Path

from provhouse.model.errors import Unavailable
from provhouse.runtime.files import write_new

from .browser_style import style_command

USER = "neo4j"
HOST = "127.0.0.1"

# Comments need their own line: Neo4j takes a comment after a value as part of the value.
CONF = """\
# Written at each start.
server.default_listen_address={host}
server.default_advertised_address={host}
server.bolt.listen_address={host}:{bolt}
server.bolt.advertised_address={host}:{bolt}
server.http.listen_address={host}:{http}
server.http.advertised_address={host}:{http}
server.https.enabled=false
# By default, pages of all web sites may read what this port answers.
dbms.security.http_access_control_allow_origin=http://{host}:{http}
dbms.security.auth_enabled=true
# LOAD CSV can read neither files nor URLs.
dbms.security.allow_csv_import_from_file_urls=false
internal.dbms.cypher_ip_blocklist=0.0.0.0/0,::/0
dbms.usage_report.enabled=false
client.allow_telemetry=false
# Browser runs these commands when it connects; the second one closes the output of the first, and
# Browser's welcome page, which is about movies.
browser.post_connect_cmd={style}; clear
server.memory.pagecache.size={pagecache}
# By default, 256 MB are reserved for each of two databases, and 32 MB in each store file.
db.tx_log.preallocate=false
db.store.files.preallocate=false
# Only files that are full and before the last checkpoint are deleted.
db.tx_log.rotation.size=1m
db.tx_log.rotation.retention_policy=keep_none
db.checkpoint.interval.time=1m
# By default, a stop waits twice for 5 seconds in case clients send more; ours have closed by then.
internal.dbms.bolt.netty_server_shutdown_quiet_period=0
"""


def write_conf(home: Path, bolt: int, http: int, pagecache: str) -> None:
    """Write ``conf/neo4j.conf`` and the folders that the server expects."""
    for folder in ("conf", "data", "import", "logs"):
        (home / folder).mkdir(exist_ok=True)
    (home / "logs").chmod(0o700)  # Neo4j lets everyone read the files in it
    text = CONF.format(host=HOST, bolt=bolt, http=http, pagecache=pagecache, style=style_command())
    (home / "conf" / "neo4j.conf").write_text(text, encoding="utf-8")


def password_file(home: Path) -> Path:
    """Return the path of the password file, which only its owner can read."""
    return home / "password"


def read_password(home: Path) -> str:
    """Return the password of a home folder's server; raise Unavailable if it is unreadable."""
    file = password_file(home)
    try:
        return file.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise Unavailable(
            f"Cannot read Neo4j's password from {file}",
            str(error),
            f"Restore the file; or delete {home} and rebuild its content with: provhouse check "
            "--repair",
        ) from error


def ensure_password(home: Path) -> str:
    """Return the password; on the first call, create it and the hash that the server reads.

    The hash is stored where ``neo4j-admin dbms set-initial-password`` would store it, in the same
    format. That command is not used, because it would show the password in the process list and
    would have to start Java once more. Without a hash, the server would accept the default password
    at its first start.
    """
    # The server reads the hash only while it has no users. Until then, writing the hash again is
    # safe, and it is necessary if the first start was interrupted.
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
    """Write a private file in one step.

    Otherwise, a crash could leave half of a password in the file, and no process could log in.
    """
    if not write_new(file, text.encode("ascii"), mode=0o600):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(file))


def _hashed(password: str) -> str:
    """Return a salted SHA-256 hash in Neo4j 5's format: algorithm, hash, salt, rounds."""
    salt, rounds = secrets.token_bytes(32), 1024
    hashed = salt + password.encode()
    for _ in range(rounds):
        hashed = hashlib.sha256(hashed).digest()
    return f"SHA-256,{hashed.hex()},{salt.hex()},{rounds}"


def free_ports() -> tuple[int, int]:
    """Return two free ports.

    The ports are below the range that operating systems use for outgoing connections. So another
    program has rarely taken a recorded port when the server starts again.
    """
    while True:
        bolt, http = random.sample(range(17_000, 32_000), 2)
        if is_free(bolt) and is_free(http):
            return bolt, http


def is_free(port: int) -> bool:
    """Return whether a server could listen on this port."""
    with socket.socket() as probe:
        # Java sets this option too. With it, a port counts as free while its last connections are
        # still closing.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            return False
    return True
