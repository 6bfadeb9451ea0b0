package provhouse.capturing.rules;

import java.util.List;
import java.util.stream.Collectors;
import org.apache.spark.SparkContext;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.plans.logical.BaseEvalPython;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.Generate;
import org.apache.spark.sql.catalyst.plans.logical.Join;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.catalyst.plans.logical.RepartitionOperation;
import org.apache.spark.sql.catalyst.plans.logical.Sample;
import org.apache.spark.sql.catalyst.plans.logical.Union;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.classic.StreamingQuery;
import org.apache.spark.sql.execution.datasources.HadoopFsRelation;
import org.apache.spark.sql.execution.datasources.LogicalRelation;
import org.apache.spark.sql.execution.datasources.v2.StreamingDataSourceV2ScanRelation;
import org.apache.spark.sql.execution.streaming.runtime.IncrementalExecution;
import org.apache.spark.sql.execution.streaming.runtime.StreamExecution;
import org.apache.spark.sql.execution.streaming.runtime.StreamingQueryWrapper;
import org.apache.spark.sql.execution.streaming.sources.ForeachBatchSink;
import provhouse.capturing.Unsupported;
import provhouse.capturing.plans.Plans;
import provhouse.capturing.sources.SourceFiles;

/**
 * Knows the stream whose batch a thread works on, and which streams can be captured.
 *
 * <p>A stream with {@code foreachBatch} computes the rows of a batch by a plan, and hands them to a
 * function of the program as an RDD. What the function writes is captured like any other write.
 */
public final class Streams {
  private static final String QUERY = "sql.streaming.queryId";
  private static final String BATCH = "streaming.sql.batchId";
  private static final String PROBLEM = "The lineage of a stream cannot be captured";

  private Streams() {}

  /** The rows that a stream has handed to a function of the program, and the plan that made them. */
  public record Batch(RDD<?> rows, LogicalPlan plan, SparkSession session) {}

  /** Return the stream and the batch that this thread works on, or an empty text. */
  public static String batchOf(SparkSession session) {
    SparkContext context = session.sparkContext();
    String batch = context.getLocalProperty(BATCH);
    return batch == null ? "" : context.getLocalProperty(QUERY) + "/" + batch;
  }

  /**
   * Return the batch of this thread's stream, or null if it is none, or still being planned.
   *
   * <p>It must be called without the monitor of a block, which a thread that plans a batch may wait
   * for.
   */
  public static Batch handed(SparkSession session) {
    StreamExecution stream = streamOf(session);
    if (stream == null || isPlanning() || !(stream.sink() instanceof ForeachBatchSink)) {
      return null;
    }
    IncrementalExecution last = stream.lastExecution();
    return last == null ? null : new Batch(last.toRdd(), last.optimizedPlan(), session);
  }

  /** Return whether Spark plans a batch of a stream in this thread. */
  public static boolean isPlanning() {
    String name = IncrementalExecution.class.getName();
    return StackWalker.getInstance()
        .walk(frames -> frames.anyMatch(frame -> frame.getClassName().equals(name)));
  }

  /** Refuse the stream of this thread unless a function of the program gets its rows. */
  public static void checkSink(SparkSession session) {
    StreamExecution stream = streamOf(session);
    if (stream == null || !(stream.sink() instanceof ForeachBatchSink)) {
      throw new Unsupported(
          PROBLEM,
          stream == null
              ? "It is not a stream of this session"
              : "It writes to " + stream.sink().getClass().getSimpleName() + ", batch after batch",
          "Write its batches with foreachBatch, or run it outside of the block");
    }
  }

  /** Refuse a plan whose batches depend on rows of earlier batches, or on rows without a place. */
  public static void check(LogicalPlan plan) {
    if (!plan.isStreaming()) {
      return;
    }
    List<LogicalPlan> children = Plans.list(plan.children());
    if (plan instanceof StreamingDataSourceV2ScanRelation) {
      String source = ((StreamingDataSourceV2ScanRelation) plan).relation().table().name();
      throw refusal("It reads " + source + ", whose rows are in no files", "Read a stream of files");
    }
    if (plan instanceof LogicalRelation
        && ((LogicalRelation) plan).relation() instanceof HadoopFsRelation) {
      SourceFiles.checkFolder((LogicalRelation) plan);
    } else if (children.isEmpty()) {
      throw refusal(
          "It reads " + plan.nodeName() + ", whose rows are in no files", "Read a stream of files");
    } else if (!isOfRows(plan)) {
      throw refusal(
          "The operator " + plan.nodeName() + " has rows of earlier batches in its state",
          "Compute this in the function of foreachBatch");
    }
    children.forEach(Streams::check);
  }

  public static Unsupported refusal(String found, String remedy) {
    return new Unsupported(PROBLEM, found, remedy + ", or run it outside of the block");
  }

  /** Return whether an operator makes its rows from rows of the same batch. */
  private static boolean isOfRows(LogicalPlan plan) {
    if (plan instanceof Join) {
      List<LogicalPlan> streams =
          Plans.<LogicalPlan>list(plan.children()).stream()
              .filter(LogicalPlan::isStreaming)
              .collect(Collectors.toList());
      return streams.size() == 1;
    }
    return plan instanceof Project
        || plan instanceof Filter
        || plan instanceof Generate
        || plan instanceof Sample
        || plan instanceof Union
        || plan instanceof BaseEvalPython
        || plan instanceof RepartitionOperation
        || PythonMaps.covers(plan);
  }

  private static StreamExecution streamOf(SparkSession session) {
    String id = session.sparkContext().getLocalProperty(QUERY);
    StreamingQuery query = id == null ? null : session.streams().get(id);
    return query instanceof StreamingQueryWrapper
        ? ((StreamingQueryWrapper) query).streamingQuery()
        : null;
  }
}
