"""Settings of Spark that change how a query runs, but never its rows.

All other settings ``spark.sql.*`` with a value other than the default are part of a plan's keys. If
a harmless setting is missing here, equal plans may get different keys. ``OwnSettings.java`` has the
settings that capture itself changes, and leaves them out of plans.
"""

NAMES = """
shuffle.partitions warehouse.dir catalogImplementation autoBroadcastJoinThreshold broadcastTimeout
files.maxPartitionBytes files.openCostInBytes codegen.wholeStage execution.arrow.maxRecordsPerBatch
debug.maxToStringFields maxPlanStringLength inMemoryColumnarStorage.batchSize
inMemoryColumnarStorage.compressed parquet.compression.codec join.preferSortMergeJoin
sources.parallelPartitionDiscovery.threshold ui.retainedExecutions ui.explainMode
event.truncate.length repl.eagerEval.enabled adaptive.enabled adaptive.coalescePartitions.enabled
adaptive.skewJoin.enabled adaptive.advisoryPartitionSizeInBytes leafNodeDefaultParallelism
iceberg.aggregate-push-down.enabled
"""
HARMLESS = frozenset(f"spark.sql.{name}" for name in NAMES.split())
