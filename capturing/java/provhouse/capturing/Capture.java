package provhouse.capturing;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.spark.sql.catalyst.plans.logical.Command;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.WithCTE;
import org.apache.spark.sql.catalyst.rules.Rule;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.execution.datasources.SaveIntoDataSourceCommand;
import org.apache.spark.sql.util.QueryExecutionListener;

/**
 * Captures the writes of a session from {@code start} to {@code stop}.
 *
 * <p>It is the last rule of Spark's optimizer: it sees the plan of each command before it runs, and
 * listens for the end of the command. The description of each write is a file in the folder of its
 * taps, which exists before Spark begins to write, so that a lost driver loses no finished write.
 */
public final class Capture extends Rule<LogicalPlan> implements QueryExecutionListener {
  private static final long PATIENCE = 60_000;
  private static final long NEWS = 10;
  private final SparkSession session;
  private final String folder;
  private final Map<String, List<String>> keys;
  private final boolean plain;
  private final List<Write> writes = new ArrayList<>();
  private final Set<Refusal> refusals = new LinkedHashSet<>();
  private Set<String> only;
  private Unsupported refused;

  private Capture(
      SparkSession session, String folder, Map<String, List<String>> keys, boolean plain) {
    this.session = session;
    this.folder = folder;
    this.keys = keys;
    this.plain = plain;
  }

  /**
   * Begin to capture, and return null if the session is being captured already.
   *
   * <p>The taps write below {@code folder}, which all executors must reach. With {@code plain}, what
   * is not covered runs without capture, instead of being refused. {@code keys} has the key columns
   * of tables by name, as JSON.
   */
  public static Capture start(SparkSession session, String folder, String keys, boolean plain)
      throws JsonProcessingException {
    List<Rule<LogicalPlan>> rules = Plans.list(session.experimental().extraOptimizations());
    for (Rule<LogicalPlan> rule : rules) {
      if (rule instanceof Capture) {
        return null;
      }
    }
    Capture capture = new Capture(session, folder, keysOf(keys), plain);
    session.experimental().extraOptimizations_$eq(Plans.seq(Plans.joined(rules, List.of(capture))));
    session.listenerManager().register(capture);
    return capture;
  }

  private static Map<String, List<String>> keysOf(String json) throws JsonProcessingException {
    return new ObjectMapper().readValue(json, new TypeReference<Map<String, List<String>>>() {});
  }

  /** Capture only the writes of these tables, a JSON list of names. */
  public synchronized void only(String tables) throws JsonProcessingException {
    only = new ObjectMapper().readValue(tables, new TypeReference<Set<String>>() {});
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
    synchronized (this) {
      writes.forEach(Write::store);
    }
  }

  /** Return the writes that were refused, or that have run without capture, as JSON. */
  public synchronized String refusals() throws JsonProcessingException {
    return new ObjectMapper().writeValueAsString(refusals);
  }

  /** Return the last refusal, or null. */
  public synchronized Unsupported refused() {
    return refused;
  }

  @Override
  public synchronized LogicalPlan apply(LogicalPlan optimised) {
    LogicalPlan command = commandOf(optimised);
    if (command == null || writeOf(command) != null) {
      return optimised; // the optimizer applies its rules until nothing changes
    }
    try {
      LogicalPlan plan = CommonTables.inlined(optimised);
      Target target = Target.of(plan, session);
      if (target != null && only != null && !only.contains(target.name())) {
        writes.forEach(write -> write.replaceBy(target));
        return optimised;
      }
      if (target != null) {
        return captured(target);
      }
      Commands.refuse(plan);
      return plan;
    } catch (Unsupported error) {
      Target target = Target.of(command, session);
      refusals.add(Refusal.of(command, target, error));
      if (plain) {
        if (target != null) {
          writes.forEach(write -> write.replaceBy(target));
        }
        return optimised;
      }
      refused = error;
      throw error;
    }
  }

  /** Return the command of a plan, above which the optimizer may have put common tables, or null. */
  private static LogicalPlan commandOf(LogicalPlan plan) {
    LogicalPlan found = plan instanceof WithCTE ? ((WithCTE) plan).plan() : plan;
    return found instanceof Command ? found : null;
  }

  private LogicalPlan captured(Target target) {
    target.check();
    for (Write earlier : writes) {
      awaitEnd(earlier, target);
      earlier.precede(target);
    }
    Write write = new Write(target, folder + "/" + writes.size(), keys, session);
    writes.add(write);
    return write.plan();
  }

  /** Wait until it is known how a write ended that another one deletes: Spark says it a bit later. */
  private void awaitEnd(Write earlier, Target next) {
    long late = System.nanoTime() + TimeUnit.SECONDS.toNanos(NEWS);
    while (earlier.mayPrecede(next) && System.nanoTime() < late) {
      try {
        wait(100); // without the monitor, which the listener needs
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }

  private Write writeOf(LogicalPlan plan) {
    if (plan instanceof SaveIntoDataSourceCommand) {
      return writeOf(((SaveIntoDataSourceCommand) plan).query());
    }
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
    end(execution, true, nanoseconds);
  }

  @Override
  public void onFailure(String action, QueryExecution execution, Exception error) {
    end(execution, false, 0);
  }

  private synchronized void end(QueryExecution execution, boolean success, long nanoseconds) {
    LogicalPlan plan = execution.optimizedPlan();
    Write write = plan instanceof Command ? writeOf(plan) : null;
    if (write != null) {
      write.end(success, nanoseconds);
    }
  }
}
