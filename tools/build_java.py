"""The step of setuptools that puts our compiled Java classes into a wheel.

`make jars-all` compiles them for other versions of Spark. The jars that it has made are copied.
"""

import os
import subprocess
import sys
from pathlib import Path

from setuptools.command.build_py import build_py


class BuildWithJava(build_py):  # type: ignore[misc]  # untyped
    """The usual copy of the packages, and the compilation of the Java sources among the copies.

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
