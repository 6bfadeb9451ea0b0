"""The settings of a warehouse; options override the environment, which overrides the file."""

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Self

from .errors import UsageError

PREFIX = "PROVHOUSE_"
UNUSABLE = "%\\*?[]{}"


@dataclass(frozen=True)
class Settings:
    """All settings. Users set them in ``warehouse.toml`` or as ``PROVHOUSE_<NAME>``."""

    warehouse: Path = Path("warehouse")
    theta: int = 25_000
    """Components of at least this many items are cut into sets of fewer items than this."""
    pack: int = 200
    """Tiny sets are packed together into sets of at most this many items; 0 turns this off."""
    partition_triples: int = 32_768
    """The maximum number of triples in one partition, the unit that a query reads."""
    plain_nodes: int = 10_000
    """The number of uncut components that an ingest writes to Neo4j as nodes, the largest first."""
    master: str = "local[*]"
    """The Spark master."""
    spark_memory: str = "2g"
    """The heap size of Spark's driver."""
    spark_storage: str = "MEMORY_AND_DISK"
    """The name of the storage level at which Spark caches the partitions it has read."""
    hot_mb: int = 256
    """Megabytes of decoded partitions to keep for later questions, besides Spark's cache."""
    neo4j_home: Path | None = None
    """The managed Neo4j server's folder, by default ``WAREHOUSE/neo4j``; can be shared."""
    neo4j_memory: str = "1g"
    """The heap size of the managed Neo4j server."""
    server_port: int = 0
    """The port of the warm server; 0 means any free port."""
    answer_seconds: int = 60
    """The maximum time for one answer of the warm server."""

    @property
    def graph_home(self) -> Path:
        """The folder of the Neo4j server that this warehouse uses."""
        return self.neo4j_home or self.warehouse / "neo4j"

    @property
    def own_folders(self) -> tuple[Path, ...]:
        """All folders that provhouse writes to."""
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
        given = {k: v for k, v in options.items() if v is not None}
        from_env = {
            f.name: env[PREFIX + f.name.upper()]
            for f in fields(cls)
            if env.get(PREFIX + f.name.upper())
        }
        warehouse = given.get("warehouse") or from_env.get("warehouse") or cls.warehouse
        file = Path(str(warehouse)) / "warehouse.toml"
        settings = cls()
        for source, values in (
            (str(file), _read(file)),
            ("the environment", from_env),
            ("an option", given),
        ):
            changes: dict[str, Any] = {n: _converted(n, v, source) for n, v in values.items()}
            settings = replace(settings, **changes)
        return replace(settings, warehouse=_usable(Path(str(warehouse)).absolute()))


def _usable(folder: Path) -> Path:
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


def _converted(name: str, value: object, source: str) -> object:
    kinds = {f.name: f.type for f in fields(Settings)}
    if name not in kinds:
        raise UsageError(
            f"There is no setting {name!r}",
            f"It comes from {source}; the settings are {', '.join(kinds)}",
            "Correct the name or remove it",
        )
    if kinds[name] is int:
        return _whole(name, value, source)
    if "\0" in str(value):
        raise UsageError(
            f"The setting {name} contains a NUL character", f"It is {value!r} in {source}"
        )
    return str(value) if kinds[name] is str else Path(str(value)).absolute()


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
