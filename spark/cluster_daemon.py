"""Run our daemon on an executor, with installed code if it is the same as the sent code."""

import runpy

from provhouse.spark.shipping import use_installed

if __name__ == "__main__":
    use_installed()
    runpy.run_module("provhouse.spark.daemon", run_name="__main__")
