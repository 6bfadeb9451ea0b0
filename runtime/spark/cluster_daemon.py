"""Run provhouse's daemon on an executor; use installed code if it equals the code that was sent."""

import runpy

from .shipping import use_installed

if __name__ == "__main__":
    use_installed()
    runpy.run_module("provhouse.runtime.spark.daemon", run_name="__main__")
