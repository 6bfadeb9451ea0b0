"""PySpark's daemon, which forks the Python workers, with the modules that tasks need imported.

Otherwise each worker would import them itself, which takes longer than most tasks.
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
