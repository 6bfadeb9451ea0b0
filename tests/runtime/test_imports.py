"""Commands and servers run without pandas and scipy, even if these packages are installed."""

import subprocess
import sys

CODE = """
import sys
from importlib.metadata import version
from importlib.util import find_spec
from provhouse.runtime.imports import HIDDEN, hide_unused
hide_unused()
hide_unused()
import pyarrow
import provhouse.warehouse
from provhouse.store.names.hashing import hashes
hashes(pyarrow.array(["a"]))  # loads numba entirely
import pyspark.testing.utils  # asks whether many packages are installed
assert version("pyarrow") == pyarrow.__version__
assert find_spec("numba.core")
for name in HIDDEN:
    assert name not in sys.modules, name
    assert find_spec(name) is None
    try:
        __import__(name)
    except ModuleNotFoundError as error:
        assert error.name == name
    else:
        raise AssertionError(name)
"""


def test_no_library_imports_hidden_packages() -> None:
    for name in ("pandas", "scipy"):
        __import__(name)  # both packages are installed
    subprocess.run([sys.executable, "-c", CODE], check=True)
