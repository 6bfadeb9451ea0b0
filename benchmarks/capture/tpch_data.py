"""Make the tables of TPC-H with a port of the official generator, or with our own generator.

The port is used if it is installed. It is a separate program, which `make bench-capture` installs
into a separate environment (`.long/tpch`).
"""

import subprocess
from pathlib import Path

from benchmarks import ROOT

GENERATOR = ROOT / ".long" / "tpch" / "bin" / "tpchgen-cli"


def tables(folder: Path, scale: str) -> str:
    """Write all tables below a folder, and return the name of the generator."""
    if not GENERATOR.exists():
        from helpers.tpch import write_tpch

        write_tpch(folder, float(scale))
        return "our own generator"
    command = [str(GENERATOR), "parquet", "-s", scale, "-o", str(folder)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    for path in sorted(folder.glob("*.parquet")):
        place = folder / path.stem
        place.mkdir()
        path.rename(place / "part-0.parquet")
    return "tpchgen-cli"
