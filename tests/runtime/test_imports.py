"""Commands and servers run without pandas and scipy, even where these are installed."""

import subprocess
import sys

CODE = """
import sys
from provhouse.runtime.imports import HIDDEN, hide_unused
hide_unused()
hide_unused()
import pyarrow
import provhouse.warehouse
from provhouse.store.names.hashing import hashes
hashes(pyarrow.array(["a"]))  # loads numba entirely
for name in HIDDEN:
    assert name not in sys.modules, name
    try:
        __import__(name)
    except ModuleNotFoundError as error:
        assert error.name == name
    else:
        raise AssertionError(name)
"""


def test_no_library_imports_hidden_packages() -> None:
    for name in ("pandas", "scipy"):
        __import__(name)  # they are installed
    subprocess.run([sys.executable, "-c", CODE], check=True)
