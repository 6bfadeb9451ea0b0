"""Files of modules, ops and weights with random damage are read completely or refused.

    PROVHOUSE_FUZZ=10000 PROVHOUSE_FUZZ_SEED=1 pytest tests/ingest/test_fuzz_declared.py

The tests compare the declarations that provhouse reads with those that Python's own readers of
TOML, JSON and CSV find.
"""

import csv
import io
import json
import os
import random
import tomllib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from helpers.fuzzed import fuzzed
from helpers.harmed import harmed
from helpers.hostile import HOSTILE
from provhouse.ingest.declared_modules import given_modules
from provhouse.ingest.op_descriptions import ALLOWED, KNOWN, given_operations
from provhouse.model.columns import KIND, OP, OPERATION
from provhouse.model.derivations import UNKNOWN
from provhouse.model.errors import BadInput
from provhouse.store.tables.modules import PARTS
from provhouse.weights import read_weights

FILES = 10 * int(os.environ.get("PROVHOUSE_FUZZ", "24"))
SEED = int(os.environ.get("PROVHOUSE_FUZZ_SEED", "0"))
TEXTS = ("a", "b", "ä😀", "c,d", "", " ", *HOSTILE[:20])
Row = tuple[str, str | None, str | None, str | None]


def modules(chance: random.Random) -> list[dict[str, object]]:
    def texts() -> list[str]:
        return chance.sample(TEXTS, chance.choice((0, 1, 2)))

    keys = ("ops", "inputs", "state", "outputs")
    return [
        {"module": f"m{number}", **{key: texts() for key in keys if chance.random() < 0.5}}
        for number in range(chance.randint(0, 4))
    ]


def as_json(chance: random.Random) -> bytes:
    found = modules(chance)
    whole: object = {"workflow": "w", "modules": found} if chance.random() < 0.5 else found
    return json.dumps(whole).encode()


def as_toml(chance: random.Random) -> bytes:
    lines = ['workflow = "w"']
    for module in modules(chance):
        lines += ["[[modules]]", *(f"{key} = {json.dumps(value, ensure_ascii=False)}"
                                   for key, value in module.items())]  # fmt: skip
    return "\n".join(lines).encode()


def rows(content: Any) -> set[Row]:
    """Return the declarations in the content that Python has read from a file."""
    top, listed = (content, content["modules"]) if isinstance(content, dict) else ({}, content)
    found = set[Row]()
    for module in listed:
        workflow = module.get("workflow") or top.get("workflow") or None
        parts = {(part, name) for key, part in PARTS.items() for name in module.get(key) or ()}
        found |= {(module["module"], workflow, *one) for one in parts}
        if not parts:  # the module is withdrawn
            found.add((module["module"], None, None, None))
    return found


@pytest.mark.parametrize(
    ("make", "ending", "read"),
    [(as_json, "json", json.loads), (as_toml, "toml", tomllib.loads)],
    ids=["json", "toml"],
)
def test_damaged_modules_are_read_completely_or_refused(
    make: Callable[[random.Random], bytes], ending: str, read: Callable[[str], Any], tmp_path: Path
) -> None:
    file = tmp_path / f"modules.{ending}"
    with fuzzed(f"modules, {ending}") as ends:
        for number in range(FILES):
            chance = random.Random(f"{SEED} {ending} {number}")
            file.write_bytes(harmed(make(chance), chance))
            try:
                given = given_modules(file).rows
            except BadInput as error:
                ends["refused" if str(file) in str(error) else "refused without a name"] += 1
                continue
            found = {tuple(row.values()) for row in given.to_pylist()}
            assert found == rows(read(file.read_bytes().decode())), number
            ends["read"] += 1
    assert min(ends["read"], ends["refused"]) > FILES / 20
    assert not ends["refused without a name"]


def operations(chance: random.Random) -> list[dict[str, str]]:
    columns = [OP, *chance.sample(KNOWN[1:], chance.randint(0, 4))]

    def value(column: str, number: int) -> str:
        if column == OP:
            return chance.choice((f"op {number}", f"op {number}", TEXTS[number % len(TEXTS)]))
        if chance.random() < 0.95:
            return chance.choice(("", *ALLOWED.get(column, TEXTS)))
        return "x"

    return [{one: value(one, number) for one in columns} for number in range(chance.randint(0, 5))]


def ops_as_csv(chance: random.Random) -> bytes:
    made, text = operations(chance), io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(made[0] if made else [OP])
    writer.writerows(each.values() for each in made)
    return text.getvalue().encode()


def ops_as_json(chance: random.Random) -> bytes:
    return "".join(json.dumps(each) + "\n" for each in operations(chance)).encode()


def read_csv(text: str) -> list[dict[str, Any]]:
    header, *lines = csv.reader(io.StringIO(text, newline=""), strict=True)
    return [dict(zip(header, line, strict=True)) for line in lines if line]


def read_json(text: str) -> list[dict[str, Any]]:
    def row(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) < len(pairs) or {type(value) for value in made.values()} - {str, type(None)}:
            raise ValueError("a key occurs twice, or a value is not a string")
        return made

    lines = [line for line in text.split("\n") if line.strip()]
    return [json.loads(line, object_pairs_hook=row) for line in lines]


@pytest.mark.parametrize(
    ("make", "ending", "read"),
    [(ops_as_csv, "csv", read_csv), (ops_as_json, "jsonl", read_json)],
    ids=["csv", "jsonl"],
)
def test_damaged_descriptions_of_ops_are_read_completely_or_refused(
    make: Callable[[random.Random], bytes],
    ending: str,
    read: Callable[[str], list[dict[str, Any]]],
    tmp_path: Path,
) -> None:
    file = tmp_path / f"ops.{ending}"
    with fuzzed(f"descriptions of ops, {ending}") as ends:
        for number in range(FILES):
            chance = random.Random(f"{SEED} ops {ending} {number}")
            file.write_bytes(harmed(make(chance), chance))
            try:
                given = given_operations(file).rows
            except BadInput as error:
                ends["refused" if str(file) in str(error) else "refused without a name"] += 1
                continue
            ends["read"] += 1
            expected = set[tuple[str | None, ...]]()
            with suppress(ValueError, csv.Error):  # Python's readers refuse some files
                for row in read(file.read_bytes().decode("utf-8-sig")):
                    said = {**row, KIND: None if row.get(KIND) == UNKNOWN else row.get(KIND)}
                    expected.add(tuple(said.get(name) or None for name in OPERATION))
                assert {tuple(row.values()) for row in given.to_pylist()} == expected, number
                ends["compared"] += 1
    assert min(ends["compared"], ends["refused"]) > FILES / 20
    assert not ends["refused without a name"]


def test_damaged_weights_are_read_completely_or_refused(tmp_path: Path) -> None:
    file = tmp_path / "weights.csv"
    with fuzzed("weights") as ends:
        for number in range(FILES):
            chance = random.Random(f"{SEED} weights {number}")
            text = io.StringIO(newline="")
            items = chance.sample(TEXTS[:4] + TEXTS[6:], chance.randint(0, 5))
            weights = [chance.choice(("1", "0.5", "1e3", "-2", "x")) for _ in items]
            csv.writer(text).writerows([["item", "weight"], *zip(items, weights, strict=True)])
            file.write_bytes(harmed(text.getvalue().encode(), chance))
            try:
                found = read_weights(file)
            except BadInput as error:
                ends["refused" if str(file) in str(error) else "refused without a name"] += 1
                continue
            content = file.read_bytes().decode("utf-8-sig")
            _, *lines = csv.reader(io.StringIO(content, newline=""))
            pairs = {row[0]: repr(float(row[1])) for row in lines if row}
            assert {item: repr(weight) for item, weight in found.items()} == pairs, number
            ends["read"] += 1
    assert min(ends["read"], ends["refused"]) > FILES / 20
    assert not ends["refused without a name"]
