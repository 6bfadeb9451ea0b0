"""Digests of Python functions: which edits change the digests, and which do not."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import date
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import provhouse
from provhouse.equivalence.python_function import FunctionFacts, facts_of

FUNCTION = """
import math
RATES = {"a": 1, "b": {2, 3}}
class Fee:
    base = 2
    def of(self, value):
        return value + self.base
fee = Fee()
def made(offset):
    def price(value, *, by=2.5):
        return fee.of(value) * by + math.floor(offset) + len(RATES["b"])
    return price
function = made(3)
"""
EDITS = {
    "value of a dictionary": ('"a": 1', '"a": 2'),
    "element of a set": ("{2, 3}", "{2, 4}"),
    "attribute of a class": ("base = 2", "base = 3"),
    "method of a class": ("value + self", "value - self"),
    "state of an object": ("fee = Fee()", "fee = Fee(); fee.base = 7"),
    "closure": ("made(3)", "made(4)"),
    "type of a number": ("made(3)", "made(3.0)"),
    "default": ("by=2.5", "by=3.5"),
    "keyword": ("value, *, by", "value, by"),
    "function of a module": ("math.floor(offset)", "math.ceil(offset)"),
}
SCRIPT = """
import sys
from provhouse.equivalence.python_function import facts_of
program = {"__name__": "__main__"}
exec(sys.argv[1], program)
print(facts_of(program["function"]).digest)
"""
MODULE = "from fees import FEE\ndef price(value):\n    return value + FEE\n"


def facts(text: str) -> FunctionFacts:
    program: dict[str, Any] = {"__name__": "__main__"}
    exec(text, program)
    return facts_of(program["function"])


@pytest.mark.parametrize("name", EDITS)
def test_an_edit_changes_the_digest(name: str) -> None:
    assert EDITS[name][0] in FUNCTION
    found = facts(FUNCTION), facts(FUNCTION.replace(*EDITS[name]))
    assert [each.problem for each in found] == ["", ""]
    assert found[0].digest != found[1].digest


def test_names_lines_and_comments_do_not_change_the_digest() -> None:
    moved = FUNCTION.replace("    def price", "\n    # a price\n    def charge")
    assert facts(moved.replace("return price", "return charge")) == facts(FUNCTION)


def test_every_process_gives_one_digest() -> None:
    found = {
        subprocess.run(
            [sys.executable, "-c", SCRIPT, FUNCTION],
            env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True,
        ).stdout.strip()
        for seed in ("1", "2")
    }  # fmt: skip
    assert found == {facts(FUNCTION).digest}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, 2),
        (1, True),
        (1, 1.0),
        (0.0, -0.0),
        ("1", 1),
        (b"1", "1"),
        ((1, 2), [1, 2]),
        ({1: 2, 3: 4}, {3: 4, 1: 2}),
        (frozenset({"a"}), {"a"}),
        (None, "None"),
        (date(2020, 1, 1), date(2020, 1, 2)),
        (Decimal("1.0"), Decimal("1.00")),
        (range(3), range(4)),
        (partial(int, base=2), partial(int, base=8)),
        (str.upper, str.lower),
    ],
)
def test_each_value_of_a_closure_has_its_own_digest(one: object, other: object) -> None:
    def returning(value: object) -> Callable[[], object]:
        return lambda: value

    found = [facts_of(returning(each)) for each in (one, one, other)]
    assert found[0] == found[1]
    assert found[0].digest != found[2].digest or found[0].problem


def test_a_value_that_contains_itself_has_a_digest() -> None:
    listed: list[object] = [1]
    listed.append(listed)
    assert facts_of(lambda: listed).problem == ""


def test_a_value_that_has_no_description_is_refused() -> None:
    with Path(__file__).open() as file:
        found = facts_of(lambda: file.name)
    assert (found.digest, found.problem) == ("", "it uses a value of the type TextIOWrapper")


def test_only_a_declared_function_is_deterministic() -> None:
    assert not facts_of(lambda value: value).deterministic
    declared = provhouse.deterministic(lambda value: value)
    assert facts_of(declared).deterministic
    assert facts_of(declared).digest == facts_of(lambda value: value).digest


@pytest.fixture
def importing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder whose modules can be imported. After the test, the modules are unloaded."""
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path
    for name in ("prices", "fees"):
        sys.modules.pop(name, None)


@pytest.mark.parametrize(
    ("file", "text"),
    [("prices.py", MODULE.replace("+", "-")), ("fees.py", "FEE = 3"), ("fees.py", "FEE = 2 # ")],
)
def test_the_source_of_the_users_modules_is_in_the_digest(
    importing: Path, file: str, text: str
) -> None:
    def digest() -> str:
        for name in ("prices", "fees"):
            sys.modules.pop(name, None)
        prices: Any = __import__("prices")
        found = facts_of(prices.price)
        assert found.problem == ""
        return found.digest

    (importing / "prices.py").write_text(MODULE)
    (importing / "fees.py").write_text("FEE = 2")
    before = digest()
    assert digest() == before
    (importing / file).write_text(text)
    assert digest() != before


def test_the_version_of_an_installed_package_is_in_the_digest(importing: Path) -> None:
    numpy: Any = __import__("numpy")
    function: Callable[[], object] = lambda: numpy.floor(0.5)  # noqa: E731
    before = facts_of(function)
    (importing / "numpy-99.dist-info").mkdir()
    (importing / "numpy-99.dist-info" / "METADATA").write_text("Name: numpy\nVersion: 99\n")
    assert before.problem == ""
    assert facts_of(function).digest not in ("", before.digest)
