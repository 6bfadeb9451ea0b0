"""``tools/words.py`` finds listed phrases in prose, with their lines, and nothing in code."""

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).parent.parent / "tools" / "words.py"
PYTHON = '''"""The module of whoever reads it."""

ANEW = {"told": 1, "whoever": f"{ANEW} was told that"}
# Comments are checked, also where a phrase
# continues: it is
# held there.


def f():
    """What it does."""
    return "it shall do"
'''
JAVA = """/** The module of whoever reads it; {@code whoever} is code. */
final class Whoever {
  /**
   * What is made
   * anew.
   */
  private final String name = "whoever"; // somebody was told that

  String told() {
    return "It shall do: \\"" + name;
  }
}
"""
MARKDOWN = """Plain text is made
anew here.

`whoever` in code is not checked.

```
whoever
```
"""


def found(file: Path) -> tuple[int, list[str]]:
    """Return the exit status for one file, and the findings without the file name."""
    done = subprocess.run(
        [sys.executable, str(PROGRAM), str(file)], capture_output=True, text=True, check=False
    )
    assert not done.stderr
    lines = done.stdout.splitlines()
    return done.returncode, [line.removeprefix(f"{file}:").partition(" -> ")[0] for line in lines]


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("a.py", PYTHON, ["1: whoever", "3: told", "5: is held", "10: What", "11: shall"]),
        (
            "A.java",
            JAVA,
            ["1: whoever", "4: What", "5: anew", "7: somebody", "7: told", "10: shall"],
        ),
        ("a.md", MARKDOWN, ["2: anew"]),
        ("a.cypher", "// Nobody knows\nMATCH (n) RETURN n", ["1: Nobody"]),
        ("b.md", "Nothing to find here.\n", []),
    ],
)
def test_phrases_are_found_in_prose(
    tmp_path: Path, name: str, text: str, expected: list[str]
) -> None:
    file = tmp_path / name
    file.write_text(text, encoding="utf-8")
    assert found(file) == (int(bool(expected)), expected)
