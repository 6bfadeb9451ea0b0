"""Run our daemon on an executor, with installed code if it is the same as the sent code."""

import runpy

from .shipping import use_installed

if __name__ == "__main__":
    use_installed()
    runpy.run_module("provhouse.runtime.spark.daemon", run_name="__main__")
