"""The life of one warehouse: a sequence of interrupted ingests, and questions.

Every attempt also tests the recovery from the attempt before. No interrupted ingest adds a
generation or leaves a process running. The last ingest succeeds with new ids, and all answers are
right. The trace is large enough to interrupt each step, and simple enough to work out the answers
by hand.
"""

import json
import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from helpers.command import Command, Terminal
from provhouse.ingest.ingest import SMALL_BYTES

GROUPS = 40_000
INTERRUPTED = "Interrupted; the warehouse is unchanged since its last commit."


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a trace: for each g, mid/g derives from three items, and end/g from two mid items."""
    file = tmp_path_factory.mktemp("trace") / "trace.csv"
    with file.open("w") as out:
        out.write("src,dst,op,src_table,dst_table\n")
        for g in range(GROUPS):
            for src in (f"raw/{2 * g}", f"raw/{2 * g + 1}", "config/0"):
                out.write(f"{src},mid/{g},join,{src.split('/')[0]},mid\n")
            for mid in (g, (g + 1) % GROUPS):
                out.write(f"mid/{mid},end/{g},sum,mid,end\n")
        out.write("\n" * SMALL_BYTES)  # the size makes the ingest use Spark
    return file


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Command]:
    """The warehouse of all tests in this file, with a Neo4j of its own."""
    folder = tmp_path_factory.mktemp("life") / "warehouse"
    command = Command(folder, None, {"PROVHOUSE_THETA": "1000"})
    yield command
    command.end_all()


@pytest.fixture
def attempt(house: Command, trace: Path) -> Callable[[str], Terminal]:
    """Return a function that starts an ingest on a terminal and waits for a step."""

    def begin(step: str) -> Terminal:
        terminal = house.on_terminal("ingest", trace, "--format", "json")
        terminal.awaits(step)
        return terminal

    return begin


def generations(house: Command) -> list[int]:
    """Return the numbers of the committed generations."""
    return sorted(int(file.stem) for file in house.warehouse.glob("commits/*.json"))


def taken(house: Command) -> int:
    """Return the lowest generation number that no attempt has used yet."""
    ids = house.warehouse / "ids.json"
    return int(json.loads(ids.read_text())["generation"]) if ids.exists() else 1


@pytest.mark.long
def test_ctrl_c_while_spark_and_neo4j_start_ends_both(
    house: Command, attempt: Callable[[str], Terminal]
) -> None:
    """Spark and Neo4j are both starting when Ctrl-C is pressed."""
    terminal = attempt("Start Spark and Neo4j")
    terminal.awaits(lambda: house.running("CommunityEntryPoint") and house.running("SparkSubmit"))
    time.sleep(1)
    terminal.ctrl_c()
    assert INTERRUPTED in terminal.ended(130)
    assert not generations(house)


@pytest.mark.long
def test_a_second_ctrl_c_does_not_stop_the_cleanup(
    house: Command, attempt: Callable[[str], Terminal]
) -> None:
    """Ctrl-C is pressed twice while Neo4j is being loaded. The command still cleans up."""
    terminal = attempt("Load Neo4j")
    terminal.ctrl_c()
    time.sleep(0.3)
    terminal.ctrl_c()
    assert terminal.ended(130).count(INTERRUPTED) == 1
    assert not generations(house)
    assert not list(house.warehouse.glob("base-*"))


@pytest.mark.long
def test_neo4j_can_be_kept_running(house: Command) -> None:
    """Start Neo4j and keep it running, so that the later tests in this file are faster.

    The provhouse server, which ``up`` can also start, is not started, because it would answer the
    questions in the later tests.
    """
    house.keep_neo4j()
    assert len(house.running("CommunityEntryPoint")) == 1


@pytest.mark.long
@pytest.mark.parametrize(
    ("step", "number", "status"),
    [
        ("Read the files", signal.SIGINT, 130),
        pytest.param("Cut into sets", signal.SIGTERM, 143, marks=pytest.mark.long),
    ],
)
def test_a_signal_interrupts_an_ingest(
    step: str,
    number: signal.Signals,
    status: int,
    house: Command,
    attempt: Callable[[str], Terminal],
) -> None:
    terminal = attempt(step)
    terminal.process.send_signal(number)
    assert INTERRUPTED in terminal.ended(status)
    assert not generations(house)
    assert len(house.running("CommunityEntryPoint")) == 1


@pytest.mark.long
@pytest.mark.parametrize("step", ["Read the files", "Load Neo4j"])
def test_a_killed_ingest_leaves_no_generation(
    step: str, house: Command, attempt: Callable[[str], Terminal]
) -> None:
    """After an ingest was killed, Spark ends by itself, and the ingest's IDs are never reused."""
    free = taken(house)
    terminal = attempt(step)
    terminal.process.kill()
    terminal.ended(-signal.SIGKILL)
    assert not generations(house)
    assert taken(house) == free + (step == "Load Neo4j")
    gone = [one for one in house.running() if one not in house.running("CommunityEntryPoint")]
    assert not psutil.wait_procs(gone, 60)[1]


@pytest.mark.long
@pytest.mark.parametrize("who", ["deploy.SparkSubmit", "store.daemon"])
def test_an_ingest_fails_if_spark_is_killed(
    who: str, house: Command, attempt: Callable[[str], Terminal]
) -> None:
    """The system may kill Spark or its Python workers when memory is short."""
    terminal = attempt("Read the files")
    terminal.awaits(lambda: house.running(who))
    for one in house.running(who):
        with suppress(psutil.NoSuchProcess):
            one.kill()
    assert "Spark or one of its workers ended unexpectedly" in terminal.ended(5)
    assert not generations(house)


@pytest.mark.long
def test_a_second_writer_is_refused_and_an_ingest_fails_without_neo4j(
    house: Command, attempt: Callable[[str], Terminal], trace: Path
) -> None:
    """A second ingest is refused at once. The first one fails when it loads the killed Neo4j."""
    terminal = attempt("Read the files")
    second = house.start("ingest", trace)
    out, said = second.communicate(timeout=60)
    assert (second.returncode, out) == (6, "")
    assert f"Process {terminal.process.pid} has been writing since 20" in said
    for one in house.running("CommunityEntryPoint"):
        one.kill()
    assert "Neo4j at bolt://127.0.0.1:" in terminal.ended(5)
    assert not generations(house)
    assert not house.running()


@pytest.mark.long
def test_the_next_ingest_succeeds(house: Command, trace: Path) -> None:
    """The ingest after the interrupted ones restarts Neo4j, leaves it running, and uses new IDs."""
    free = taken(house)
    done = json.loads(house("ingest", trace, "--format", "json").out)
    assert done["triples"] == 5 * GROUPS
    assert done["items"] == 4 * GROUPS + 1
    assert done["components"] == 1
    assert done["duplicates"] == 0
    assert generations(house) == [done["generation"]] == [free]
    assert len(list(house.warehouse.glob("base-*"))) == 1
    assert len(house.running("CommunityEntryPoint")) == 1


@pytest.mark.long
def test_a_question_restarts_a_killed_neo4j(house: Command, tmp_path: Path) -> None:
    """Answers about many items keep the order of the requested items. Some do not exist."""
    for one in house.running("CommunityEntryPoint"):
        one.kill()
        one.wait(10)
    asked = ["end/17", "nothing/1", f"end/{GROUPS - 1}", "raw/8", "nothing/2"]
    names = tmp_path / "names.txt"
    names.write_text("\n".join(asked))
    done = house("lineage", "--items", names, status=3)
    assert done.message == "2 of 5 items are missing\nThe first is 'nothing/1'"
    lines = [json.loads(line) for line in done.out.splitlines()]
    assert [line["item"] for line in lines] == asked
    assert [line.get("found", True) for line in lines] == [True, False, True, True, False]
    assert _depths(lines[0]) == {
        "mid/17": 1, "mid/18": 1, "config/0": 2,
        "raw/34": 2, "raw/35": 2, "raw/36": 2, "raw/37": 2,
    }  # fmt: skip
    last = 2 * GROUPS - 1
    assert _depths(lines[2]) == {
        "mid/0": 1, f"mid/{GROUPS - 1}": 1, "config/0": 2,
        "raw/0": 2, "raw/1": 2, f"raw/{last - 1}": 2, f"raw/{last}": 2,
    }  # fmt: skip
    assert _depths(lines[3]) == {}


def _depths(answer: dict[str, list[dict[str, object]]]) -> dict[object, object]:
    return {row["item"]: row["depth"] for row in answer["items"]}


@pytest.mark.long
@pytest.mark.parametrize("step", ["Start Spark", "Cache all triples"])
def test_ctrl_c_interrupts_a_question(house: Command, step: str) -> None:
    terminal = house.on_terminal("impact", "config/0", "--method", "rq", "--format", "json")
    terminal.awaits(step)
    terminal.ctrl_c()
    assert INTERRUPTED in terminal.ended(130)


@pytest.mark.long
def test_a_question_fails_if_spark_is_killed(house: Command) -> None:
    terminal = house.on_terminal("impact", "raw/8", "--method", "rq", "--format", "json")
    terminal.awaits("Cache all triples")
    (jvm,) = house.running("deploy.SparkSubmit")
    jvm.kill()
    assert "Spark or one of its workers ended unexpectedly" in terminal.ended(5)


@pytest.mark.long
def test_down_stops_neo4j(house: Command) -> None:
    assert house("down").out == "Neo4j is stopped.\n"
    assert not house.running()


@pytest.mark.long
@pytest.mark.parametrize("method", ["csprov", "rq"])
def test_a_missing_or_truncated_partition_is_damage(method: str, house: Command) -> None:
    """csprov fails if partition files are missing; rq fails if partition files are truncated."""
    files = sorted(house.warehouse.glob("base-*/triples/*.parquet"))
    contents = {file: file.read_bytes() for file in files}
    for file, content in contents.items():
        os.truncate(file, len(content) // 2) if method == "rq" else file.unlink()
    done = house("lineage", "end/17", "--method", method, status=7)
    assert "Cannot read the partition" in done.message
    for file, content in contents.items():
        file.write_bytes(content)
