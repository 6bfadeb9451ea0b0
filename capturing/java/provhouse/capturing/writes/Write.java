package provhouse.capturing.writes;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.*;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.internal.SQLConf;
import provhouse.capturing.Unsupported;
import provhouse.capturing.plans.*;
import provhouse.capturing.rules.*;
import provhouse.capturing.sources.*;
import provhouse.capturing.taps.*;
import provhouse.capturing.targets.*;

/** One captured write: its plan with taps, and its files. */
public final class Write {
  private static final double NANOSECONDS = 1e9;

  private final String folder;
  private final Target target;
  private final Configuration settings;
  private final Tap rows;
  private final LogicalPlan query;
  private final LogicalPlan plan;
  private final Budget budget;
  /** The stream and the batch that the write belongs to, or an empty string. */
  private final String batch;
  private final Caller caller;
  /** Whether this write belongs to a command that changes rows. */
  private final boolean changes;
  private final Map<String, Object> description = new LinkedHashMap<>();
  private final SparkSession session;
  /** The settings with which Spark analysed the plan. */
  private final Map<String, String> conf;
  private final Map<String, byte[]> functions = new LinkedHashMap<>();
  private Set<String> written;
  private String state = "unknown";

  public Write(Target target, String folder, Options options, SparkSession session, Caches caches) {
    this(target, folder, options, session, caches, null);
  }

  /** Begin a write. {@code command} is the row-changing command that makes the write, or null. */
  Write(
      Target target,
      String folder,
      Options options,
      SparkSession session,
      Caches caches,
      Changing command) {
    changes = command != null || target.changing() != null;
    caller = command == null ? Caller.current() : command.caller();
    this.folder = folder;
    this.target = target;
    this.session = session;
    conf = PlanText.settings(session.sessionState().conf());
    settings = session.sessionState().newHadoopConf();
    batch = Streams.batchOf(session);
    long begun = System.nanoTime();
    query = target.query();
    List<String> key = target.isKeyed() ? keyOf(target, options.keys()) : List.of();
    Taps taps = new Taps(folder, new AtomicBoolean(), options.limits().any(), options.valued());
    boolean keyed = options.declaresKey(target);
    Change change =
        command == null ? Change.planned(target.changing(), keyed) : command.change();
    Rewriting rewriting = Rewriting.of(query, taps, options.keys(), session, caches, change);
    List<Slot> slots = new ArrayList<>(rewriting.rows().slots());
    int last = slots.size() - 1;
    Slot ended = last >= 0 && slots.get(last).tap() == Form.GONE ? slots.remove(last) : null;
    List<Integer> kinds = slots.stream().map(Slot::tap).filter(each -> each != Form.KEPT).toList();
    List<Expression> texts = key.isEmpty() ? target.texts() : List.of(textOf(key, query, session));
    rows = taps.tap("rows", slots.size(), texts.size());
    Filter tapped = Taps.tapped(rows, Slot.attributes(slots), texts, rewriting.rows().plan());
    plan = target.with(Plans.only(Plans.output(query), skipping(tapped, ended, taps)));
    int form = ended != null ? Form.ENDING : changes ? Form.COPYING : Form.FORM;
    description.put("form", Math.max(form, taps.form()));
    description.put("kept", kinds.size() < slots.size());
    description.put("ends", ended != null);
    description.put("path", target.path().toUri().toString());
    description.put("table", target.isKeyed() ? target.name() : target.table());
    for (String said : List.of("op", "module", "state_tables")) {
      description.put(said, said(session, said));
    }
    description.put("parts", key.isEmpty() ? texts.size() : 0);
    description.put("key", key);
    description.put("most", target.most());
    description.put("header", target.hasHeader());
    description.put("replaces", target.replaces());
    description.put("format", target.format());
    description.put("logged", target.isSink());
    description.put("exact_names", session.sessionState().conf().caseSensitiveAnalysis());
    description.put("slots", kinds);
    rewriting.describe(description);
    description.put("columns", Columns.described(target.stored(), caches));
    description.put("rewriting", (System.nanoTime() - begun) / NANOSECONDS);
    store();
    budget = Budget.watch(folder, settings, options.limits());
  }

  /** Return a tap without the rows that are not rows of the table. It may write their ids apart. */
  private LogicalPlan skipping(Filter tapped, Slot ended, Taps taps) {
    Expression skipped = target.skipped();
    if (skipped == null) {
      return tapped;
    }
    return ended == null
        ? Taps.except(skipped, tapped)
        : taps.except(skipped, ended.attribute(), tapped);
  }

  /**
   * Return the columns of the key that is declared for a target whose format does not number rows.
   * If no key is declared, return no columns for a target that consists of files, since positions
   * in the files identify its rows, and refuse any other target.
   */
  private static List<String> keyOf(Target target, Map<String, List<String>> keys) {
    List<String> key = keys.get(target.name());
    if (key == null && target.hasFiles()) {
      return List.of();
    }
    if (key == null) {
      throw Unsupported.unkeyed(
          "write",
          "It writes " + target.name() + " as " + target.format()
              + ", which does not number its rows",
          target.name());
    }
    return key;
  }

  private Expression textOf(List<String> key, LogicalPlan query, SparkSession session) {
    SQLConf settings = session.sessionState().conf();
    return KeyText.of(Plans.output(query), key, target.name(), settings);
  }

  /** Return the Spark local property {@code provhouse.NAME} of the thread, or an empty string. */
  private static String said(SparkSession session, String name) {
    String said = session.sparkContext().getLocalProperty("provhouse." + name);
    return said == null ? "" : said;
  }

  /** Return whether this write has the given number in its block. */
  boolean is(int number) {
    return folder.endsWith("/" + number);
  }

  public LogicalPlan plan() {
    return plan;
  }

  /** Return the optimised plan of the rows, without taps. */
  public LogicalPlan query() {
    return query;
  }

  /** Return the optimised plan of the rows, with the column names of the written table. */
  public LogicalPlan named() {
    return Plans.named(query, target.names());
  }

  /** Return the rows of the given files of this write. */
  public Dataset<Row> read(SparkSession session, List<String> files) {
    return target.read(session, files);
  }

  /** Return the addresses of the files that this write has made. */
  public Set<String> written() {
    return written == null ? Set.of() : written;
  }

  public Tap rows() {
    return rows;
  }

  /**
   * Return whether {@code next} must wait for the end of this write. It must wait if it deletes
   * rows of this write, or if both writes may run at the same time.
   */
  boolean mayPrecede(Target next) {
    return state.equals("unknown")
        && !target.isSink()
        && next.path().equals(target.path())
        && (next.deletes() || written == null);
  }

  /** Record the files of this write if its command has returned to the caller. */
  public void settle(Caller now) {
    endBatch();
    if (!target.isSink() && caller.hasReturned(now)) {
      close();
    }
  }

  /**
   * Record the files of this write before another write to its folder. Refuse the other write if it
   * deletes files that this capture still has to read.
   *
   * <p>If a batch of a stream is run again, its new write may replace the files of the earlier one.
   */
  void precede(Target next, String nextBatch) {
    if (!next.path().equals(target.path())) {
      return;
    }
    if (!batch.isEmpty() && batch.equals(nextBatch)) {
      replaceBy(next);
    } else if (next.deletes() && !state.equals("failed") && !state.equals("stopped")
        && !state.equals("replaced")) {
      throw new Unsupported(
          "This write would delete rows whose lineage is not stored yet",
          target.path() + " was written before in the same job",
          "End the block after the first write, and begin another");
    }
    if (!target.isSink()) {
      close();
    }
  }

  /** Record the end of a batch that a stream writes to files, if the sink's log has it. */
  void endBatch() {
    if (target.isSink() && state.equals("unknown") && target.isKnown()) {
      end(true, 0, -1);
    }
  }

  /** Return whether this is the write of a batch that Spark plans a second time. */
  boolean is(SinkTarget planned) {
    return planned.isSame(target);
  }

  /** Record the end of an earlier batch, since the stream begins to write {@code next}. */
  void endBatch(Target next) {
    endBatch();
    if (target.isSink() && state.equals("unknown") && next.path().equals(target.path())) {
      end(false, 0, -1);
    }
  }

  /** Record that rows may be missing because a write without capture overwrites them. */
  void replaceBy(Target next) {
    if (next.deletes() && next.path().equals(target.path())) {
      state = "replaced";
      store();
    }
  }

  /**
   * Describe the plan that computes the rows of an analyzed command, if the command has such a
   * plan.
   */
  public void analysed(LogicalPlan command) {
    if (!changes && Plans.field(command, "query") instanceof LogicalPlan rows) {
      try {
        PlanText text = PlanText.in(session, rows, conf);
        description.put("plan", text.description());
        functions.putAll(text.functions());
      } catch (RuntimeException unknown) { // another extension's operator must not end the capture
        description.put("plan", null);
      }
    }
  }

  /** Return the plan's pickled Python functions, keyed by their digests. */
  public Map<String, byte[]> functions() {
    return functions;
  }

  /**
   * Record the end of the write. {@code count} is the number of rows that Spark has counted, or -1.
   */
  public void end(boolean success, long nanoseconds, long count) {
    if (!state.equals("replaced")) {
      state = !success ? "failed" : target.isKnown() ? "finished" : "unknown";
    }
    String exceeded = budget.end();
    if (state.equals("finished") && !exceeded.isEmpty()) {
      state = "stopped";
      description.put("stopped", exceeded);
    }
    description.put("rows", count);
    description.put("seconds", nanoseconds / NANOSECONDS);
    close();
    store();
  }

  private void close() {
    if (written == null) {
      written = target.written();
      description.put("tracking", target.tracking());
      description.put("names", target.fileNames());
      description.put("places", target.places());
      if (changes) {
        description.put("removed", target.removed());
        description.put("moves", target.moves());
        description.put("vectors", target.vectors());
        description.put("committed", target.committed());
        description.put("commits", target.commits());
      }
    }
  }

  /** Replace the description's file atomically, so that readers never get only a part of it. */
  public void store() {
    description.put("written", written == null ? List.of() : new ArrayList<>(written));
    description.put("state", state);
    Path file = new Path(folder, "write.json");
    try {
      Storage.of(file, settings).replace(file, new ObjectMapper().writeValueAsBytes(description));
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }
}
