package provhouse.capturing.plans;

import org.apache.spark.sql.catalyst.plans.logical.*;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.execution.LogicalRDD;
import org.apache.spark.sql.execution.columnar.InMemoryRelation;
import org.apache.spark.sql.execution.datasources.LogicalRelation;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation;
import provhouse.capturing.spark.*;

/**
 * The kinds of operators that an optimised plan can have.
 *
 * <p>Only {@code of} examines Spark's operator classes. The analyses of all operators (rules,
 * columns, existence and streams) are switch expressions over these kinds, without a default case.
 * So an operator of Spark that acts like a known operator needs only one line here. If a kind is
 * added, the compiler reports every switch that lacks it.
 */
public enum Kind {
  PROJECT,
  FILTER,
  JOIN,
  AGGREGATE,
  WINDOW,
  /** The operator that turns the joined rows of a MERGE into written rows. */
  MERGE,
  UNION,
  EXPAND,
  GENERATE,
  SORT,
  /** All rows of the input, moved to other tasks. */
  REPARTITION,
  /** All rows of the input. From their times, Spark computes the watermark of a stream. */
  WATERMARK,
  /** The rows of a stream that are the first ones with their key in any batch. */
  DEDUPLICATE,
  SAMPLE,
  /** The first rows of the input, or all rows after the first ones. */
  LIMIT,
  /** The first rows of each partition of a window. */
  GROUP_LIMIT,
  /** The rows of the input, with the results of row-wise Python functions as further columns. */
  PYTHON_COLUMNS,
  /** A Python function that gets the rows of a task and returns new rows. */
  PYTHON_ROWS,
  /** A Python function that gets the rows of a group, or of two groups, and returns new rows. */
  PYTHON_GROUPS,
  /** The scan of a table. */
  SCAN,
  /** The scan of topics of Kafka by a stream. */
  TOPICS,
  /** The scan of an Iceberg table. */
  ICEBERG,
  /** The rows of a cache. */
  CACHE,
  /** The rows of a stream's batch, or of an RDD whose rows do not come from the program itself. */
  BATCH,
  /** Rows that the program itself made. */
  LOCAL,
  /** An unknown operator. */
  OTHER;

  /** Return the kind of an operator. */
  public static Kind of(LogicalPlan node) {
    if (node instanceof Project) return PROJECT;
    if (node instanceof Filter) return FILTER;
    if (node instanceof Join) return JOIN;
    if (node instanceof Aggregate) return AGGREGATE;
    if (node instanceof Window) return WINDOW;
    if (node instanceof MergeRows) return MERGE;
    if (node instanceof Union) return UNION;
    if (node instanceof Expand) return EXPAND;
    if (node instanceof Generate) return GENERATE;
    if (node instanceof Sort) return SORT;
    if (node instanceof RepartitionOperation) return REPARTITION;
    if (node instanceof RebalancePartitions) return REPARTITION;
    if (node instanceof EventTimeWatermark) return WATERMARK;
    if (node instanceof Deduplicate) return DEDUPLICATE;
    if (node instanceof DeduplicateWithinWatermark) return DEDUPLICATE;
    if (node instanceof Sample) return SAMPLE;
    if (node instanceof GlobalLimit) return LIMIT;
    if (node instanceof LocalLimit) return LIMIT;
    if (node instanceof Offset) return LIMIT;
    if (node instanceof WindowGroupLimit) return GROUP_LIMIT;
    if (node instanceof BaseEvalPython) return PYTHON_COLUMNS;
    if (node instanceof MapInPandas) return PYTHON_ROWS;
    if (Operators.mapsArrow(node)) return PYTHON_ROWS;
    if (node instanceof FlatMapGroupsInPandas) return PYTHON_GROUPS;
    if (node instanceof FlatMapCoGroupsInPandas) return PYTHON_GROUPS;
    if (Operators.groupsArrow(node)) return PYTHON_GROUPS;
    if (node instanceof LogicalRelation) return SCAN;
    if (isTopics(Operators.scanOf(node))) return TOPICS;
    if (isIceberg(node)) return ICEBERG;
    if (node instanceof InMemoryRelation) return CACHE;
    if (node instanceof LogicalRDD rows) return LocalRows.are(rows.rdd()) ? LOCAL : BATCH;
    if (node instanceof LocalRelation) return LOCAL;
    if (node instanceof OneRowRelation) return LOCAL;
    if (node instanceof Range) return LOCAL;
    return OTHER;
  }

  private static boolean isTopics(Scan stream) {
    return stream != null
        && stream.getClass().getName().startsWith("org.apache.spark.sql.kafka010.");
  }

  private static boolean isIceberg(LogicalPlan node) {
    return node instanceof DataSourceV2ScanRelation scan
        && RowLevel.tableOf(scan.relation()).getClass().getName().startsWith("org.apache.iceberg.spark.");
  }
}
