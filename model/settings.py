"""The settings of a warehouse.

Options override the environment, which overrides the file ``warehouse.toml``.
"""

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

from .errors import UsageError
from .fault_points import VARIABLE
from .keeping import keeping
from .paths import check_local

PREFIX = "PROVHOUSE_"
OTHER_VARIABLES = {VARIABLE, "PROVHOUSE_FUZZ", "PROVHOUSE_FUZZ_SEED", "PROVHOUSE_FUZZ_RECORD"}
"""Environment variables that only provhouse's own tests use. They are not settings."""
THETA = 25_000
"""The theta of a warehouse whose theta was never set."""
UNUSABLE = "%\\*?[]{}"


@dataclass(frozen=True)
class Settings:
    """All settings. Users set them in ``warehouse.toml`` or as ``PROVHOUSE_<NAME>``."""

    warehouse: Path = Path("warehouse")
    """The folder of the warehouse. It cannot be set in the file."""
    theta: int | None = None
    """Components of this many items or more are cut into sets of fewer items; at least 2.

    If this is not set, a warehouse keeps the theta of its last ingest or compaction. Its first
    ingest uses 25,000.
    """
    pack: int = 200
    """Tiny sets are packed together into sets of at most this many items; 0 turns this off.

    A set of sources from which the same rows of a report are derived may have up to 20 times as
    many items.
    """
    partition_triples: int = 32_768
    """The maximum number of triples per partition, at least 1. Questions read whole partitions."""
    plain_nodes: int = 100
    """The maximum number of uncut components that an ingest writes to Neo4j as nodes.

    If there are more, only the largest components are written.
    """
    cut_mb: int = 0
    """The megabytes of memory for cutting items into sets; 0 for three quarters of the free memory.

    If an ingest needs more, components are cut in groups, with temporary files, into the same sets.
    If a single component needs more than a limit above 0, the ingest ends with an error.
    """
    driver_mb: int = 0
    """The megabytes of memory for arrays of sets, row ids and ended triples in commands that write.

    Arrays beyond this limit go to files in the folder of the warehouse; the result is the same.
    With 0, the limit is a quarter of the free memory.
    """
    master: str = "local[*]"
    """The Spark master. ``local[2]`` uses two cores, ``spark://HOST:PORT`` a cluster."""
    spark_memory: str = "2g"
    """The heap size of Spark's driver."""
    spark_storage: str = "MEMORY_AND_DISK"
    """The name of the storage level at which Spark caches triples for rq and ccprov."""
    hot_mb: int = 256
    """The megabytes of partitions that stay open for later questions.

    All other partitions are opened when they are needed.
    """
    neo4j_home: Path | None = None
    """The folder of the managed Neo4j server, by default ``WAREHOUSE/neo4j``.

    Several warehouses can share one server.
    """
    neo4j_memory: str = "1g"
    """The heap size of the managed Neo4j server."""
    neo4j_uri: str = ""
    """The address of a Neo4j server that you run, such as ``neo4j+s://graph.example.com``.

    If this is set, provhouse does not start a server of its own. An address that begins with
    ``bolt://``, such as ``bolt://127.0.0.1:7687``, is not encrypted.
    """
    neo4j_user: str = "neo4j"
    """The user who logs in to the server in ``neo4j_uri``."""
    neo4j_password_file: Path | None = None
    """The file with that user's password; without it, provhouse does not log in."""
    neo4j_database: str = "neo4j"
    """The database to use in the server in ``neo4j_uri``."""
    server_port: int = 0
    """The port of the warm server, which ``provhouse up`` starts; 0 chooses any free port."""
    server_address: str = ""
    """An IP address and port, such as ``0.0.0.0:8443``, at which the warm server listens with TLS.

    It needs ``server_certificate``. The server always listens on loopback, too, without TLS. A
    server that a question on a terminal starts also listens at this address.
    """
    server_certificate: Path | None = None
    """The server's certificate with its chain, in PEM.

    When the file changes, the server uses the new certificate.
    """
    server_key: Path | None = None
    """The key of that certificate, in PEM, without a password.

    If this is not set, the key is in the certificate's file.
    """
    server_names: str = ""
    """The host names, separated by commas, under which clients or a reverse proxy reach the server.

    Requests to another host name get status 403.
    """
    server: str = ""
    """The URL of a server to ask instead of a warehouse; ``--server`` sets it, too.

    Only commands that ask questions accept it.
    """
    token_file: Path | None = None
    """The file with the token for ``server``."""
    ca_file: Path | None = None
    """Certificates, in PEM, of the authorities to trust for ``server`` instead of the system's."""
    wait_seconds: int = 0
    """The number of seconds that a command that writes waits for another such command.

    After this time, it ends with exit status 6.
    """
    keep: str = ""
    """The ages to keep after each ingest, such as ``30d,12m``, as for ``provhouse tidy --keep``.

    With this value, generations older than 30 days and old versions of rows older than 12 months
    are deleted. If this is not set, everything is kept.
    """
    answer_seconds: int = 60
    """The longest time in seconds for one answer of the warm server."""
    idle_minutes: int = 15
    """A server that was started by a question on a terminal ends after this many idle minutes.

    With 0, questions do not start a server.
    """

    @property
    def graph_home(self) -> Path:
        """The folder of the Neo4j server that this warehouse uses."""
        return self.neo4j_home or self.warehouse / "neo4j"

    @property
    def shares_graph_home(self) -> bool:
        """Whether other warehouses may also use the managed Neo4j server of this warehouse."""
        return self.neo4j_home is not None and not self.neo4j_uri

    @property
    def own_folders(self) -> tuple[Path, ...]:
        """The folders of the warehouse and of its Neo4j server; no file in them may be ingested."""
        return self.warehouse, self.graph_home

    @classmethod
    def load(
        cls, options: Mapping[str, object], environment: Mapping[str, str] | None = None
    ) -> Self:
        """Return the settings of one command.

        ``options`` come from the command line; None means that an option was not given. Raises
        UsageError for an unknown name or an invalid value.
        """
        env = os.environ if environment is None else environment
        _check_names(env)
        given = {k: v for k, v in options.items() if v is not None}
        from_env = {
            f.name: env[PREFIX + f.name.upper()]
            for f in fields(cls)
            if env.get(PREFIX + f.name.upper())
        }
        warehouse = given.get("warehouse") or from_env.get("warehouse") or cls.warehouse
        file = Path(str(warehouse)).absolute() / "warehouse.toml"
        settings = cls()
        here = Path.cwd()
        for source, values, folder in (
            (str(file), _read(file), file.parent),
            ("the environment", from_env, here),
            ("an option", given, here),
        ):
            changes: dict[str, Any] = {
                n: _converted(n, v, source, folder) for n, v in values.items()
            }
            settings = replace(settings, **changes)
        return replace(settings, warehouse=_usable(Path(str(warehouse))))


def _check_names(environment: Mapping[str, str]) -> None:
    """Raise UsageError for an unknown variable whose name has the prefix of settings."""
    known = {PREFIX + field.name.upper() for field in fields(Settings)} | OTHER_VARIABLES
    for name in sorted(environment):
        if name.startswith(PREFIX) and name not in known:
            raise UsageError(
                f"There is no setting for the environment variable {name}",
                f"The settings are {', '.join(field.name for field in fields(Settings))}",
                f"Correct the name, or remove it: unset {name}",
            )


def _usable(folder: Path) -> Path:
    check_local(folder)
    folder = folder.absolute()
    found = sorted(set(str(folder)) & set(UNUSABLE))
    if found:
        raise UsageError(
            f"The warehouse path {folder} contains {' '.join(found)}",
            f"Spark and Delta read these characters as patterns: {UNUSABLE}",
            "Choose another folder",
        )
    return folder


def _read(file: Path) -> dict[str, object]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, ValueError, RecursionError) as error:  # RecursionError: nested too deeply
        raise UsageError(
            f"Cannot read the settings in {file} as TOML", str(error), "Correct the file"
        ) from error


def _converted(name: str, value: object, source: str, folder: Path) -> object:
    """Convert a value to its setting's type; relative paths are relative to ``folder``."""
    kinds = {f.name: f.type for f in fields(Settings)}
    if name not in kinds:
        raise UsageError(
            f"There is no setting {name!r}",
            f"It comes from {source}; the settings are {', '.join(kinds)}",
            "Correct the name or remove it",
        )
    if name == "keep" and value:
        keeping(str(value), datetime.now(UTC))
    if kinds[name] in (int, int | None):
        return _whole(name, value, source)
    if "\0" in str(value):
        raise UsageError(
            f"The setting {name} contains a NUL character", f"It is {value!r} in {source}"
        )
    return str(value) if kinds[name] is str else folder / str(value)


def _whole(name: str, value: object, source: str) -> int:
    least = {"theta": 2, "partition_triples": 1}.get(name, 0)
    try:
        number = int(str(value))
        if number >= least:
            return number
    except ValueError:
        pass
    raise UsageError(
        f"The setting {name} is not a whole number of at least {least}",
        f"It is {value!r} in {source}",
        "Correct the value",
    )
