"""The setuptools build step that puts provhouse's compiled Java classes into a wheel.

`make jars-all` compiles the classes for other versions of Spark. The build step copies the jars
that it finds from `make jars-all`.
"""

import os
import subprocess
import sys
from pathlib import Path

from setuptools.command.build_py import build_py


class BuildWithJava(build_py):  # type: ignore[misc]  # untyped
    """The usual copying of packages, and the compilation of the copied Java sources.

    An editable installation has no copies; its set-up compiles the sources.
    """

    def run(self) -> None:
        """Copy and compile; fail if the classes cannot be compiled."""
        super().run()
        if self.editable_mode:
            return
        packages = Path(self.build_lib).resolve()
        paths = [str(packages), os.environ.get("PYTHONPATH", "")]
        done = subprocess.run(
            [sys.executable, "-m", "provhouse.capturing.compiling"],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))},
            stdout=subprocess.PIPE,
            text=True,
        )
        if done.returncode:
            raise SystemExit(done.stdout)
