"""A settings file with any content is either accepted or refused with UsageError.

`PROVHOUSE_FUZZ=7000 pytest tests/model/test_fuzz.py -s` tries 28,000 files.
"""

import os
import random
from pathlib import Path

from helpers.fuzzed import fuzzed
from provhouse.model.errors import UsageError
from provhouse.model.settings import Settings

FILES = 4 * int(os.environ.get("PROVHOUSE_FUZZ", "60"))
SEED = int(os.environ.get("PROVHOUSE_FUZZ_SEED", "0"))
NAMES = (
    *Settings.__dataclass_fields__,
    "host",
    "listen",
    "server_host",
    "a.b",
    "[x]",
    '"é"',
    "__init__",
)
VALUES = (
    "1", "0", "-1", "1e9", "9" * 5000, "0x10", "1_000", "true", '"a"', "'../x'", '"\\u0000"',
    '"\\ud800"', "[1, 2]", "{a = 1}", "1979-05-27", "nan", "inf", '"""\n"""', '"0.0.0.0"',
    "'%*?[]{}'", "", '"',
)  # fmt: skip


def file(chance: random.Random) -> bytes:
    lines = (
        f"{chance.choice(NAMES)} = {chance.choice(VALUES)}\n" for _ in range(chance.randint(0, 3))
    )
    content = bytearray("".join(lines).encode())
    for _ in range(chance.choice((0, 0, 1, 3))):
        content[chance.randint(0, len(content)) :][:1] = bytes([chance.randrange(256)])
        at = chance.randint(0, len(content))
        content[at : at + chance.randint(0, 2)] = bytes([chance.randrange(256)])
    return bytes(content)


def test_any_settings_file_is_accepted_or_refused(tmp_path: Path) -> None:
    with fuzzed("settings file") as ends:
        for number in range(FILES):
            content = file(random.Random(f"{SEED} settings {number}"))
            (tmp_path / "warehouse.toml").write_bytes(content)
            try:
                Settings.load({"warehouse": tmp_path}, {})
                ends["accepted"] += 1
            except UsageError:
                ends["refused"] += 1
            except Exception as error:
                raise AssertionError(f"seed {SEED}, file {number}: {content!r}") from error
    assert min(ends["accepted"], ends["refused"]) > FILES // 50


def test_only_one_setting_opens_an_address() -> None:
    """This setting needs TLS (``tests/serve/test_remote.py``).

    All other servers use only loopback.
    """
    words = ("host", "address", "listen", "bind", "interface", "url")
    names = [name for name in Settings.__dataclass_fields__ if any(w in name for w in words)]
    assert names == ["server_address"]
