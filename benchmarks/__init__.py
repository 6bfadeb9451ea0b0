"""Measurements of provhouse. Run one as `python -m benchmarks.SUBJECT.NAME` in the repository."""

import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
"""The folder of the repository."""

sys.path += [str(ROOT / "tests"), str(ROOT / "tools")]  # data generators, Chromium, TPC-DS
