package provhouse.capturing.rules;

import java.util.List;
import org.apache.spark.SparkContext;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.plans.logical.LocalRelation;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.execution.datasources.HadoopFsRelation;
import org.apache.spark.sql.execution.datasources.InMemoryFileIndex;
import org.apache.spark.sql.execution.datasources.LogicalRelation;
import org.apache.spark.sql.execution.streaming.sources.ForeachBatchSink;
import provhouse.capturing.Unsupported;
import provhouse.capturing.plans.*;
import provhouse.capturing.sources.*;
import provhouse.capturing.spark.*;

/**
 * Finds the stream whose batch a thread works on, and refuses streams that cannot be captured.
 *
 * <p>A stream with {@code foreachBatch} computes the rows of a batch from a plan, and passes them
 * to a function of the program as an RDD. Writes of the function are captured like any other write.
 */
public final class Streams {
  private static final String QUERY = "sql.streaming.queryId";
  private static final String BATCH = "streaming.sql.batchId";
  private static final String PROBLEM = "The lineage of a stream cannot be captured";

  private Streams() {}

  /** The rows that a stream has passed to one of the program's functions, and their plan. */
  public record Batch(RDD<?> rows, LogicalPlan plan, SparkSession session) {}

  /** Return the ids of the stream and batch that this thread works on, or an empty string. */
  public static String batchOf(SparkSession session) {
    SparkContext context = session.sparkContext();
    String batch = context.getLocalProperty(BATCH);
    return batch == null ? "" : queryOf(session) + "/" + batch;
  }

  /** Return the ids of this thread's batch and of the run of its stream, which may be repeated. */
  public static String attemptOf(SparkSession session) {
    return batchOf(session) + "/" + session.streams().get(queryOf(session)).runId();
  }

  /** Return the number of the batch that this thread works on. */
  public static long numberOf(SparkSession session) {
    return Long.parseLong(session.sparkContext().getLocalProperty(BATCH));
  }

  /** Return the id of the stream that this thread works on, or null. */
  static String queryOf(SparkSession session) {
    return session.sparkContext().getLocalProperty(QUERY);
  }

  /**
   * Return the batch that this thread's stream has passed to the program. Return null if there is
   * no such stream, or if the batch is still being planned.
   *
   * <p>The caller must not hold the monitor of a block, since a thread that plans a batch may wait
   * for that monitor.
   */
  public static Batch handed(SparkSession session) {
    RunningStream stream = streamOf(session);
    if (stream == null || isPlanning() || !(stream.sink() instanceof ForeachBatchSink)) {
      return null;
    }
    QueryExecution last = stream.batch();
    return last == null ? null : new Batch(last.toRdd(), last.optimizedPlan(), session);
  }

  /** Return whether Spark plans a batch of a stream in this thread. */
  public static boolean isPlanning() {
    return Calls.isInside(RunningStream.PLANNER);
  }

  /** Refuse the stream of this thread unless a function of the program gets its rows. */
  public static void checkSink(SparkSession session) {
    RunningStream stream = streamOf(session);
    if (stream == null || !(stream.sink() instanceof ForeachBatchSink)) {
      throw new Unsupported(
          PROBLEM,
          stream == null
              ? "It is not a stream of this session"
              : "It writes to " + stream.sink().getClass().getSimpleName() + ", batch after batch",
          "Write its batches with foreachBatch, or run it outside of the block");
    }
  }

  /**
   * Refuse a plan whose batches derive from rows of earlier batches, or on rows that are neither in
   * files nor in topics of Kafka.
   */
  public static void check(LogicalPlan plan) {
    if (plan.isStreaming()) {
      Unsupported refusal = refusalOf(plan);
      if (refusal != null) {
        throw refusal;
      }
      Plans.children(plan).forEach(Streams::check);
    }
  }

  public static Unsupported refusal(String found, String remedy) {
    return new Unsupported(PROBLEM, found, remedy + ", or run it outside of the block");
  }

  /**
   * Return the refusal of an operator whose rows derive from rows of other batches, or null for
   * another operator. A row that is the first one with its key derives from itself alone.
   */
  private static Unsupported refusalOf(LogicalPlan node) {
    List<LogicalPlan> children = Plans.children(node);
    return switch (Kind.of(node)) {
      case PROJECT, FILTER, GENERATE, SAMPLE, UNION, PYTHON_COLUMNS, PYTHON_ROWS, REPARTITION,
          WATERMARK, DEDUPLICATE, TOPICS -> null;
      case JOIN ->
          children.stream().filter(LogicalPlan::isStreaming).count() == 1 ? null : keeping(node);
      case SCAN -> refusalOf((LogicalRelation) node);
      case AGGREGATE, MERGE, WINDOW, EXPAND, SORT, LIMIT, GROUP_LIMIT, PYTHON_GROUPS -> keeping(node);
      case LOCAL -> isEmpty(node) ? null : withoutNames(node.nodeName());
      case ICEBERG, CACHE, BATCH, OTHER -> {
        String source = Operators.streamed(node);
        yield source == null && !children.isEmpty()
            ? keeping(node)
            : withoutNames(source == null ? node.nodeName() : source);
      }
    };
  }

  /** Return whether a batch has no rows, but lets operators with state drop old rows of theirs. */
  private static boolean isEmpty(LogicalPlan node) {
    return node instanceof LocalRelation rows && Plans.list(rows.data()).isEmpty();
  }

  private static Unsupported refusalOf(LogicalRelation node) {
    if (!(node.relation() instanceof HadoopFsRelation relation)) {
      return withoutNames(node.nodeName());
    }
    boolean many =
        relation.location() instanceof InMemoryFileIndex && SourceFiles.folderOf(relation) == null;
    String found = "It reads files by a pattern, so their table is unknown";
    return many ? refusal(found, "Read one folder") : null;
  }

  private static Unsupported withoutNames(String source) {
    return refusal(
        "It reads " + source + ", whose rows have no names",
        "Read a stream of files or of topics of Kafka");
  }

  private static Unsupported keeping(LogicalPlan node) {
    return refusal(
        "The operator " + node.nodeName() + " has rows of earlier batches in its state",
        "Compute this in the function of foreachBatch");
  }

  /** Return the stream that this thread works on, or null. */
  public static RunningStream streamOf(SparkSession session) {
    String id = queryOf(session);
    return id == null ? null : RunningStream.of(session.streams().get(id));
  }
}
