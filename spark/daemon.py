"""PySpark's daemon, which forks Python workers, with what their tasks need imported already.

Each worker would import it anew, which takes longer than most tasks.
"""

import numba
import numpy
import pyarrow
import pyarrow.compute
import pyarrow.csv
import pyarrow.parquet
from pyspark.daemon import manager

IMPORTED = (numba, numpy, pyarrow, pyarrow.compute, pyarrow.csv, pyarrow.parquet)

if __name__ == "__main__":
    manager()
