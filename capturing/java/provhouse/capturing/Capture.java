package provhouse.capturing;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.plans.logical.*;
import org.apache.spark.sql.catalyst.rules.Rule;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanExec;
import org.apache.spark.sql.execution.adaptive.QueryStageExec;
import org.apache.spark.sql.execution.command.DataWritingCommandExec;
import org.apache.spark.sql.execution.command.ExplainCommand;
import org.apache.spark.sql.execution.metric.SQLMetric;
import org.apache.spark.sql.util.QueryExecutionListener;
import provhouse.capturing.plans.*;
import provhouse.capturing.replay.*;
import provhouse.capturing.rules.*;
import provhouse.capturing.spark.*;
import provhouse.capturing.targets.*;
import provhouse.capturing.writes.*;

/**
 * Captures the writes of a session from {@code start} to {@code stop}.
 *
 * <p>A capture is the last rule of Spark's optimizer, so it sees the plan of each command before
 * the command runs. A capture is also a listener, which Spark calls when a command has ended. Each
 * write is described by a file in the folder of its taps. The file exists before Spark begins to
 * write, so if the driver is lost, no finished write is lost.
 */
public final class Capture extends Rule<LogicalPlan> implements QueryExecutionListener {
  private static final long PATIENCE = 60_000;
  private final SparkSession session;
  private final Block block;
  private final OwnSettings settings;

  private Capture(SparkSession session, Block block) {
    this.session = session;
    this.block = block;
    settings = OwnSettings.in(session);
  }

  /**
   * Begin to capture a session and return the capture, or null if the session is captured already.
   *
   * <p>{@code folder} and {@code options} are the arguments of {@code Block}, the options as JSON.
   */
  public static Capture start(SparkSession session, String folder, String options)
      throws JsonProcessingException {
    return of(session) == null ? start(session, new Block(folder, Options.of(options))) : null;
  }

  /**
   * Begin to capture a session into a new folder at an address, which another process ingests.
   *
   * <p>Returns null if the session is captured already.
   */
  public static Capture land(
      SparkSession session, String address, String run, double sample, String options)
      throws JsonProcessingException {
    if (of(session) != null) {
      return null;
    }
    Configuration hadoop = session.sparkContext().hadoopConfiguration();
    Path parent = Settings.address(address);
    return start(session, new LandingBlock(parent, run, sample, Options.of(options), hadoop));
  }

  static Capture start(SparkSession session, Block block) {
    List<Rule<LogicalPlan>> rules = Plans.list(session.experimental().extraOptimizations());
    Capture capture = new Capture(session, block);
    session.experimental().extraOptimizations_$eq(Plans.seq(Plans.joined(rules, List.of(capture))));
    session.listenerManager().register(capture);
    return capture;
  }

  /** Return whether a session is captured because its application is configured for capture. */
  public static boolean isConfigured(SparkSession session) {
    Capture capture = of(session);
    return capture != null && capture.block instanceof Application;
  }

  /** Return the capture of a session, or null. */
  static Capture of(SparkSession session) {
    return Plans.list(session.experimental().extraOptimizations()).stream()
        .filter(Capture.class::isInstance)
        .map(Capture.class::cast)
        .findFirst()
        .orElse(null);
  }

  /**
   * Return a replay of a frame, which can compute the frame again from other rows of its sources. A
   * table that the frame reads is computed again too if {@code writes} made all files of the table.
   */
  public Replay replay(Dataset<Row> frame, List<Integer> writes) {
    synchronized (block) {
      return new Replay(session, block, Replay.optimised(frame), writes);
    }
  }

  /**
   * Return a replay of a write, which can compute its rows again from other rows of its sources.
   */
  public Replay replayWrite(int write, List<Integer> writes) {
    synchronized (block) {
      return new Replay(session, block, block.write(write).named(), writes);
    }
  }

  /**
   * Return all rows of a source that has no row indexes. They are read from the given paths in the
   * same way as the write read them.
   */
  public Dataset<Row> source(int write, List<String> files) {
    synchronized (block) {
      return new KeyedRecords(block, block.write(write).query()).of(session, files);
    }
  }

  /** Return the rows of files that a write made, read with the write's options and columns. */
  public Dataset<Row> written(int write, List<String> files) {
    synchronized (block) {
      return block.write(write).read(session, files);
    }
  }

  /** Reserve a number for a write that these rules do not capture, such as the write of an RDD. */
  public int reserve() {
    return block.reserve();
  }

  /** End the capture when the ends of all commands were reported, or after a minute. */
  public void stop() {
    try {
      session.sparkContext().listenerBus().waitUntilEmpty(PATIENCE);
    } catch (TimeoutException late) {
      // an ingest reports the writes whose ends are unknown
    } finally {
      abandon();
    }
  }

  /** End the capture at once. */
  public void abandon() {
    List<Rule<LogicalPlan>> rules = Plans.list(session.experimental().extraOptimizations());
    rules.remove(this);
    session.experimental().extraOptimizations_$eq(Plans.seq(rules));
    session.listenerManager().unregister(this);
    settings.restore();
    block.close();
  }

  /** Return the writes that were refused or ran without capture, as JSON. */
  public String refusals() throws JsonProcessingException {
    synchronized (block) {
      return new ObjectMapper().writeValueAsString(block.refusals());
    }
  }

  /** Return the pickled Python functions of all writes, keyed by their digests. */
  public Map<String, byte[]> functions() {
    synchronized (block) {
      return block.functions();
    }
  }

  /** Return the last refusal, or null. */
  public Unsupported refused() {
    return block.refused();
  }

  @Override
  public LogicalPlan apply(LogicalPlan optimised) {
    LogicalPlan command = commandOf(optimised);
    if (command == null) {
      if (CsvLines.are(optimised)) {
        return CsvLines.copied(optimised);
      }
      if (Caches.isPassing(optimised)) {
        return passed(optimised);
      }
      boolean keeps = isCached(optimised) && !DeltaChange.isStoring();
      return keeps ? cached(optimised) : query(optimised);
    }
    if (isExplained()) {
      return optimised; // EXPLAIN only plans the command, which the plan itself does not show
    }
    Streams.Batch batch = Streams.handed(session);
    synchronized (block) {
      block.handed(batch);
      if (block.writeOf(command) != null) {
        return optimised;
      }
      block.settle();
      return captured(command, optimised);
    }
  }

  private static boolean isExplained() {
    return Calls.isInside(ExplainCommand.class.getName());
  }

  /** Return the plan of a query. It gets slots if Delta runs the query to change rows. */
  private LogicalPlan query(LogicalPlan optimised) {
    boolean changes = DeltaChange.isWriting() || DeltaChange.isStoring();
    if (optimised instanceof Subquery || !changes || !block.isChanging()) {
      return batch(optimised);
    }
    Streams.Batch batch = Streams.handed(session);
    synchronized (block) {
      block.handed(batch);
      try {
        return block.inChange(CommonTables.inlined(optimised));
      } catch (Unsupported error) {
        return uncaptured(optimised, optimised, block.abandoned(), error);
      }
    }
  }

  /**
   * Return the plan of a stream's batch with slots, or refuse the batch. Return the plan of any
   * other query unchanged.
   */
  private LogicalPlan batch(LogicalPlan optimised) {
    if (optimised instanceof Subquery || !Streams.isPlanning()) {
      return optimised;
    }
    synchronized (block) {
      try {
        block.checkOpen();
        SinkTarget sink = sinkOf(optimised);
        if (sink != null) {
          return sunk(sink, optimised);
        }
        Streams.checkSink(session);
        return block.caching(optimised, session);
      } catch (Unsupported error) {
        return uncaptured(optimised, optimised, null, error);
      }
    }
  }

  /** Return the folder to which this thread's stream writes a batch, or null for another sink. */
  private SinkTarget sinkOf(LogicalPlan rows) {
    RunningStream stream = Streams.streamOf(session);
    FileSink sink = stream == null ? null : FileSink.of(stream.sink());
    if (sink == null) {
      return null;
    }
    List<Attribute> named = Plans.list(stream.batch().analyzed().output());
    return SinkTarget.of(
        sink, Streams.numberOf(session), Streams.attemptOf(session), rows, named, session);
  }

  /** Return the plan of a batch that a stream writes to files, with a tap of its rows. */
  private LogicalPlan sunk(SinkTarget target, LogicalPlan optimised) {
    if (block.writeOf(optimised) != null || target.isSkipped() || block.leavesOut(target)) {
      return optimised;
    }
    try {
      Streams.check(optimised);
      return block.sunk(target, session);
    } catch (Unsupported error) {
      return uncaptured(optimised, optimised, target, error);
    }
  }

  private LogicalPlan captured(LogicalPlan command, LogicalPlan optimised) {
    try {
      block.checkOpen();
      LogicalPlan plan = CommonTables.inlined(optimised);
      Target target = Target.of(plan, session);
      if (target != null && block.leavesOut(target)) {
        return optimised;
      }
      Change change = Change.apart(plan);
      if (target != null && change != null) {
        block.changing(change, target, session);
        return optimised;
      }
      if (target != null) {
        return block.captured(target, session);
      }
      Commands.refuse(plan);
      return plan;
    } catch (Unsupported error) {
      return uncaptured(command, optimised, Target.of(command, session), error);
    }
  }

  /** Return the plan that runs without capture, if that is allowed; otherwise throw a refusal. */
  private LogicalPlan uncaptured(
      LogicalPlan command, LogicalPlan optimised, Target target, Unsupported error) {
    Unsupported refused = block.refuse(command, target, error, session);
    if (block.isPlain()) {
      return optimised;
    }
    throw refused;
  }

  /** Return whether Spark will cache or checkpoint the rows of this plan. False for subqueries. */
  private static boolean isCached(LogicalPlan plan) {
    return !(plan instanceof Subquery) && (Caches.isCaching() || Caches.isCheckpointing());
  }

  private LogicalPlan cached(LogicalPlan optimised) {
    Streams.Batch batch = Streams.handed(session);
    synchronized (block) {
      block.handed(batch);
      return block.caching(optimised, session);
    }
  }

  /**
   * Return a plan of the rows that the program passes to an RDD. The rows are in an RDD that the
   * block recognizes in the plans of later writes.
   *
   * <p>Spark may run parts of the plan before it returns the RDD. Other threads do not wait for this.
   */
  private LogicalPlan passed(LogicalPlan optimised) {
    Streams.Batch batch = Streams.handed(session);
    Caches.Passing passing;
    synchronized (block) {
      block.handed(batch);
      passing = block.passing(CommonTables.inlined(optimised), session);
    }
    if (passing == null) {
      return optimised;
    }
    Dataset<Row> frame = DataFrames.of(session, passing.plan());
    RDD<InternalRow> rows = frame.queryExecution().toRdd();
    block.passed(rows, passing);
    return Plans.renamed(DataFrames.of(session, rows, frame.schema()), Plans.output(optimised));
  }

  /**
   * Return the command of a plan, or null. The optimizer may put common table expressions above it.
   */
  private static LogicalPlan commandOf(LogicalPlan plan) {
    LogicalPlan found = plan instanceof WithCTE defining ? defining.plan() : plan;
    return found instanceof Command ? found : null;
  }

  @Override
  public void onSuccess(String action, QueryExecution execution, long nanoseconds) {
    end(execution, true, nanoseconds);
  }

  @Override
  public void onFailure(String action, QueryExecution execution, Exception error) {
    end(execution, false, 0);
  }

  private void end(QueryExecution execution, boolean success, long nanoseconds) {
    LogicalPlan plan = planOf(execution);
    synchronized (block) {
      boolean ends = plan instanceof Command && !DeltaCommand.isStaged(plan);
      Write write = ends ? block.ended(plan, success) : null;
      if (write != null) {
        write.analysed(execution.analyzed());
        write.end(success, nanoseconds, success ? rowsOf(execution.executedPlan()) : -1);
      }
    }
  }

  /** Return the optimized plan of a query, or null if the plan was refused or has an error. */
  private static LogicalPlan planOf(QueryExecution execution) {
    try {
      return execution.optimizedPlan();
    } catch (Exception error) { // the user has this error; Spark would log it a second time
      return null;
    }
  }

  /** Return the number of rows that a plan has written, or -1 if Spark has not counted them. */
  private static long rowsOf(SparkPlan plan) {
    if (plan instanceof AdaptiveSparkPlanExec adaptive) {
      return rowsOf(adaptive.executedPlan());
    }
    if (plan instanceof QueryStageExec stage) {
      return rowsOf(stage.plan());
    }
    SQLMetric rows = Plans.value(plan.metrics(), "numOutputRows");
    return plan instanceof DataWritingCommandExec && rows != null ? rows.value() : -1;
  }
}
