"""A real broker of Kafka on this machine, which is its own controller (KRaft)."""

import socket
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from time import monotonic, sleep

from provhouse.capturing.jar import spark_jars
from provhouse.model.progress import Silent
from provhouse.runtime.jars import fetch, jar_folder
from provhouse.runtime.java import java

CLIENTS = ("spark-sql-kafka", "spark-token-provider-kafka", "kafka-clients", "commons-pool2")
"""The jars of Spark's source of Kafka, by the beginnings of their names."""
_CLUSTER = "provhouse-kafka-test-w"  # an id has 22 characters
_SETTINGS = """
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@localhost:{controller}
controller.listener.names=CONTROLLER
listeners=PLAINTEXT://localhost:{broker},CONTROLLER://localhost:{controller}
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
log.dirs={folder}/records
num.partitions=2
offsets.topic.replication.factor=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
"""


def client_jars() -> str:
    """Return the jars of Spark's source of Kafka, as in the setting ``spark.jars``."""
    fetch(Silent(), ("kafka",))
    jars = sorted(jar_folder("kafka").glob("*.jar"))
    return ",".join(str(jar) for jar in jars if jar.name.startswith(CLIENTS))


@contextmanager
def kafka(folder: Path, patience: float = 300) -> Iterator[str]:
    """Run a broker with its records below a folder; yield its address, such as ``localhost:40001``.

    New topics have two partitions.
    """
    fetch(Silent(), ("kafka",))
    folder.mkdir()
    broker, controller = _free_ports(2)
    settings = folder / "server.properties"
    settings.write_text(_SETTINGS.format(broker=broker, controller=controller, folder=folder))
    classes = f"{jar_folder('kafka')}/*:{spark_jars()}/*"
    command: list[str | Path] = [java(), "-XX:TieredStopAtLevel=1", "-Xmx512m", "-cp", classes]
    with (folder / "log").open("wb") as log:
        subprocess.run(
            [*command, "kafka.tools.StorageTool", "format", "-t", _CLUSTER, "-c", str(settings)],
            stdout=log, stderr=log, cwd=folder, check=True,
        )  # fmt: skip
        process = subprocess.Popen(
            [*command, "kafka.Kafka", str(settings)], stdout=log, stderr=log, cwd=folder
        )
    try:
        late = monotonic() + patience
        while not _answers(broker):
            assert process.poll() is None, (folder / "log").read_text()
            assert monotonic() < late, "Kafka did not start"
            sleep(0.2)
        yield f"localhost:{broker}"
    finally:
        process.kill()
        process.wait()


def _free_ports(count: int) -> list[int]:
    with ExitStack() as opened:
        found = [opened.enter_context(socket.socket()) for _ in range(count)]
        for each in found:
            each.bind(("localhost", 0))
        return [each.getsockname()[1] for each in found]


def _answers(port: int) -> bool:
    try:
        socket.create_connection(("localhost", port), 1).close()
    except OSError:
        return False
    return True
