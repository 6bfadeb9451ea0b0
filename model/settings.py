"""The settings of a warehouse: file, environment, option, the later one winning."""

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
    """All that can be set, also in ``warehouse.toml`` or as ``PROVHOUSE_<NAME>``."""

    warehouse: Path = Path("warehouse")
    theta: int = 25_000
    """A component of at least this many items is cut, and every set stays below it."""
    pack: int = 200
    """Tiny sets are packed into sets of at most this many items; 0 packs nothing."""
    partition_triples: int = 32_768
    """The most triples in one partition, which is what a query reads at once."""
    plain_nodes: int = 10_000
    """The most uncut components an ingest shows as nodes in Neo4j, the largest first."""
    master: str = "local[*]"
    """The Spark master."""
    spark_memory: str = "2g"
    """Heap of Spark's driver."""
    spark_storage: str = "MEMORY_AND_DISK"
    """Where Spark keeps the partitions that were read: one of the names of its storage levels."""
    hot_mb: int = 256
    """Megabytes of partitions that stay decoded for who asks next, besides Spark's."""
    neo4j_home: Path | None = None
    """Folder of the managed Neo4j server, else ``WAREHOUSE/neo4j``; warehouses may share one."""
    neo4j_memory: str = "1g"
    """Heap of the managed Neo4j server."""
    server_port: int = 0
    """The port of the warm server; 0 takes any that is free."""
    answer_seconds: int = 60
    """How long an answer of the warm server may take."""

    @property
    def graph_home(self) -> Path:
        """The folder of the Neo4j server that this warehouse uses."""
        return self.neo4j_home or self.warehouse / "neo4j"

    @property
    def own_folders(self) -> tuple[Path, ...]:
        """All that we write to."""
        return self.warehouse, self.graph_home

    @classmethod
    def load(
        cls, options: Mapping[str, object], environment: Mapping[str, str] | None = None
    ) -> Self:
        """The settings that hold for one command.

        ``options`` are the ones named on the command line (``None`` stands for not named).
        Raises UsageError for a name that is no setting or a value of the wrong kind.
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
            f"The path of a warehouse should have none of the characters {UNUSABLE}",
            f"{folder} has {' '.join(found)}, which Spark and Delta read as patterns",
            "Name another folder",
        )
    return folder


def _read(file: Path) -> dict[str, object]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, ValueError, RecursionError) as error:  # of Python's own limits too
        raise UsageError(
            f"Settings should be readable TOML in {file}", f"It is not: {error}", "Correct the file"
        ) from error


def _converted(name: str, value: object, source: str) -> object:
    kinds = {f.name: f.type for f in fields(Settings)}
    if name not in kinds:
        raise UsageError(
            f"A setting should have one of the names {', '.join(kinds)}",
            f"{source} has {name!r}",
            "Correct the name or take it out",
        )
    if kinds[name] is int:
        return _whole(name, value, source)
    if "\0" in str(value):
        raise UsageError(
            f"The setting {name} should be a text without NUL", f"{source} gives {value!r}"
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
        f"The setting {name} should be a whole number of at least {least}",
        f"{source} gives {value!r}",
        "Correct the value",
    )
