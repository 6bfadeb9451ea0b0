"""Settings of Spark that change how a query runs, and never its rows.

All other settings ``spark.sql.*`` that are not at their defaults are in the keys of a plan. A
setting that is missing here separates plans that may be equal.
"""

NAMES = """
shuffle.partitions warehouse.dir catalogImplementation autoBroadcastJoinThreshold broadcastTimeout
files.maxPartitionBytes files.openCostInBytes codegen.wholeStage execution.arrow.maxRecordsPerBatch
debug.maxToStringFields maxPlanStringLength inMemoryColumnarStorage.batchSize
inMemoryColumnarStorage.compressed parquet.compression.codec join.preferSortMergeJoin
sources.parallelPartitionDiscovery.threshold ui.retainedExecutions ui.explainMode
event.truncate.length repl.eagerEval.enabled adaptive.enabled adaptive.coalescePartitions.enabled
adaptive.skewJoin.enabled adaptive.advisoryPartitionSizeInBytes leafNodeDefaultParallelism
"""
HARMLESS = frozenset(f"spark.sql.{name}" for name in NAMES.split())
