"""The process that keeps Spark up and forks a child for each command on its standard input."""

import importlib
import json
import os
import pkgutil
import select
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa

from provhouse import care, cli, commit, ingest, output, query, warehouse
from provhouse.cli.app import run
from provhouse.model import fault_points as faults
from provhouse.model.settings import Settings
from provhouse.runtime.spark.session import spark
from provhouse.serve import client
from provhouse.serve import server_process as process
from provhouse.store.names.hashing import hashes
from provhouse.store.warehouse.layout import Layout

IMPORTED = (client, process, warehouse)
PACKAGES = (care, cli, commit, ingest, output, query)
"""The packages whose modules this process imports once.

Commands import these modules inside functions. If each child imported them, the imports would take
longer than the command.
"""


def main(folder: Path) -> None:
    """Run commands until standard input ends.

    This process must not use the library for Delta tables, because after that it could no longer
    fork.
    """
    for package in PACKAGES:
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)
    session = spark(Settings(master="local[2]", spark_memory="1g"), Layout(folder).logs)
    session.sparkContext.parallelize([0], 1).map(abs).collect()
    hashes(pa.array(["a"]))  # loading the first compiled function takes half a second
    gateway: Any = session.sparkContext._gateway
    children: set[int] = set()
    rest = b""
    while True:
        if select.select([0], [], [], 0.01)[0]:
            read = os.read(0, 1 << 16)
            if not read:
                os._exit(0)  # Spark ends when the last process that uses it ends
            *lines, rest = (rest + read).split(b"\n")
            for line in lines:
                children.add(_start(json.loads(line), gateway))
        for pid in sorted(children):
            found, status = os.waitpid(pid, os.WNOHANG | os.WUNTRACED)
            if not found:
                continue
            stopped = os.WIFSTOPPED(status)
            _report(pid=pid, status=None if stopped else os.waitstatus_to_exitcode(status))
            if not stopped:
                children.remove(pid)


def _start(asked: dict[str, Any], gateway: Any) -> int:
    if pid := os.fork():
        _report(pid=pid)
        return pid
    gateway._gateway_client.deque.clear()  # the connections belong to the parent
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for number, end in ((1, ".out"), (2, ".err")):
        os.dup2(os.open(asked["output"] + end, os.O_WRONLY), number)
    os.environ.clear()
    os.environ.update(asked["environment"])
    os.chdir(asked["folder"])
    faults.arm(asked["environment"].get(faults.VARIABLE, ""))
    status = run(asked["arguments"])
    sys.stdout.flush()
    os._exit(status)


def _report(**what: object) -> None:
    os.write(1, json.dumps(what).encode() + b"\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
