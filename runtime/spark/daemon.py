"""Import the modules that tasks need, then run PySpark's daemon, which forks Python workers.

Otherwise each worker would import these modules itself, which takes longer than most tasks take.
"""

import numba
import numpy
import pyarrow
import pyarrow.compute
import pyarrow.csv
import pyarrow.parquet
from pyspark.daemon import manager

from .workers import mark_own

IMPORTED = (numba, numpy, pyarrow, pyarrow.compute, pyarrow.csv, pyarrow.parquet)

if __name__ == "__main__":
    mark_own()
    manager()
