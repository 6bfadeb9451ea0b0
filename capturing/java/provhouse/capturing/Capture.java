package provhouse.capturing;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import org.apache.spark.sql.catalyst.plans.logical.Command;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.WithCTE;
import org.apache.spark.sql.catalyst.rules.Rule;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.execution.datasources.InsertIntoHadoopFsRelationCommand;
import org.apache.spark.sql.util.QueryExecutionListener;

/**
 * Captures the writes of a session from {@code start} to {@code stop}.
 *
 * <p>It is the last rule of Spark's optimizer: it sees the plan of each command before it runs, and
 * listens for the end of the command.
 */
public final class Capture extends Rule<LogicalPlan> implements QueryExecutionListener {
  private static final long PATIENCE = 60_000;
  private final SparkSession session;
  private final String folder;
  private final List<Write> writes = new ArrayList<>();
  private Unsupported refusal;

  private Capture(SparkSession session, String folder) {
    this.session = session;
    this.folder = folder;
  }

  /**
   * Begin to capture, and return null if the session is being captured already.
   *
   * <p>The taps write below {@code folder}, which all executors must reach.
   */
  public static Capture start(SparkSession session, String folder) {
    List<Rule<LogicalPlan>> rules = Plans.list(session.experimental().extraOptimizations());
    for (Rule<LogicalPlan> rule : rules) {
      if (rule instanceof Capture) {
        return null;
      }
    }
    Capture capture = new Capture(session, folder);
    session.experimental().extraOptimizations_$eq(Plans.seq(Plans.joined(rules, List.of(capture))));
    session.listenerManager().register(capture);
    return capture;
  }

  /** End the capture once the ends of all commands have been received. */
  public void stop() throws TimeoutException {
    try {
      session.sparkContext().listenerBus().waitUntilEmpty(PATIENCE);
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
  }

  /** Return the writes that have begun, in order, as JSON. */
  public synchronized String writes() throws JsonProcessingException {
    List<Map<String, Object>> found = new ArrayList<>();
    writes.forEach(write -> found.add(write.described()));
    return new ObjectMapper().writeValueAsString(found);
  }

  /** Return the last refusal, or null. */
  public synchronized Unsupported refusal() {
    return refusal;
  }

  @Override
  public synchronized LogicalPlan apply(LogicalPlan optimised) {
    try {
      LogicalPlan plan = ofCommand(optimised);
      if (plan instanceof InsertIntoHadoopFsRelationCommand) {
        return captured((InsertIntoHadoopFsRelationCommand) plan);
      }
      if (plan instanceof Command) {
        Commands.refuse(plan);
      }
      return plan;
    } catch (Unsupported error) {
      refusal = error;
      throw error;
    }
  }

  /** Return a command without the common tables that the optimizer may have put above it. */
  private static LogicalPlan ofCommand(LogicalPlan plan) {
    boolean above = plan instanceof WithCTE && ((WithCTE) plan).plan() instanceof Command;
    return above ? CommonTables.inlined(plan) : plan;
  }

  private LogicalPlan captured(InsertIntoHadoopFsRelationCommand command) {
    if (writeOf(command) != null) {
      return command; // the optimizer applies its rules until nothing changes
    }
    for (Write earlier : writes) {
      earlier.precede(command);
    }
    Write write =
        new Write(
            command,
            folder + "/" + writes.size(),
            session.sessionState().newHadoopConf());
    writes.add(write);
    return write.plan();
  }

  private Write writeOf(LogicalPlan plan) {
    Tap tap = Plans.tapOf(plan);
    for (Write write : writes) {
      if (write.rows().equals(tap)) {
        return write;
      }
    }
    List<LogicalPlan> children = Plans.list(plan.children());
    return children.size() == 1 ? writeOf(children.get(0)) : null;
  }

  @Override
  public void onSuccess(String action, QueryExecution execution, long nanoseconds) {
    end(execution, true);
  }

  @Override
  public void onFailure(String action, QueryExecution execution, Exception error) {
    end(execution, false);
  }

  private synchronized void end(QueryExecution execution, boolean success) {
    LogicalPlan plan = execution.optimizedPlan();
    Write write = plan instanceof InsertIntoHadoopFsRelationCommand ? writeOf(plan) : null;
    if (write != null) {
      write.end(success);
    }
  }
}
