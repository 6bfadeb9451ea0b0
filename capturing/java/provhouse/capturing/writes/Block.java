package provhouse.capturing.writes;

import java.net.URI;
import java.util.*;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.Path;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import provhouse.capturing.Unsupported;
import provhouse.capturing.plans.*;
import provhouse.capturing.rules.*;
import provhouse.capturing.taps.*;
import provhouse.capturing.targets.*;

/** A block: its writes, which are ingested together, and its refusals. */
public class Block {
  private static final long NEWS = 30;
  private final String folder;
  private final Options options;
  private final Caches caches;
  private final List<Write> writes = new ArrayList<>();
  private final List<Changing> changes = new ArrayList<>();
  private final Set<Refusal> refusals = new LinkedHashSet<>();
  private Unsupported refused;
  private boolean closed;
  private int numbered;

  /**
   * Make a block whose taps write below the given folder, to which all executors must have access.
   */
  public Block(String folder, Options options) {
    this.folder = new Path(URI.create(folder)).toString(); // in the form for tasks, without percent-encoding
    this.options = options;
    caches = new Caches(this.folder, options.keys());
  }

  /** Prepare the folder before anything is written there. */
  public void begin(SparkSession session) {}

  public boolean isPlain() {
    return options.plain();
  }

  /**
   * Store the batch that this thread's stream has passed to the program, or null if there is none.
   */
  public void handed(Streams.Batch batch) {
    caches.handed(batch);
  }

  /** Refuse writes of a stream that still runs after the end of the block. */
  public void checkOpen() {
    if (closed) {
      throw Streams.refusal(
          "It still runs after the end of its block",
          "Wait for its end inside the block");
    }
  }

  /** Return whether a write runs without capture because the block does not name its table. */
  public boolean leavesOut(Target target) {
    boolean found = options.tables() != null && !options.tables().contains(target.name());
    if (found) {
      writes.forEach(write -> write.replaceBy(target));
    }
    return found;
  }

  /**
   * Record the files of the writes that have returned, before their thread runs another command.
   *
   * <p>Spark reports the end of a write only later, when the write's folder may also contain files
   * of that other command.
   */
  public void settle() {
    Caller now = Caller.current();
    writes.forEach(write -> write.settle(now));
    for (Changing command : changes) {
      if (command.caller().hasReturned(now)) {
        finish(command);
      }
    }
  }

  public LogicalPlan captured(Target target, SparkSession session) {
    prepare(target, session);
    Write write = new Write(target, place(), options, session, caches);
    writes.add(write);
    return write.plan();
  }

  /** Return the plan of a batch that a stream writes to files, with a tap of its rows. */
  public LogicalPlan sunk(SinkTarget target, SparkSession session) {
    if (target.isKeyed() && options.declaresKey(target)) {
      throw Unsupported.write(
          "A stream writes " + target.name() + " as " + target.format() + " with a declared key");
    }
    for (Write write : writes) {
      if (write.is(target)) {
        return write.plan(); // Spark plans some batches twice, and runs either plan
      }
    }
    writes.forEach(write -> write.endBatch(target));
    return captured(target, session);
  }

  private String place() {
    return folder + "/" + reserve();
  }

  /**
   * Record that a command begins to change rows of a table. Refuse a command that is not covered.
   */
  public void changing(Change change, Target target, SparkSession session) {
    if (changes.stream().anyMatch(each -> each.is(change.command()))) {
      return;
    }
    boolean keyed = options.declaresKey(target);
    Change found = keyed ? change : change.withoutKey();
    if (found == null) {
      throw Unsupported.unkeyed(
          "statement",
          "It moves rows of " + target.name() + " to other files, where only a key finds them",
          target.name());
    }
    prepare(target, session);
    changes.add(new Changing(found, target, session));
  }

  /** Return whether this thread runs a command that changes rows. */
  public synchronized boolean isChanging() {
    Caller now = Caller.current();
    return changes.stream().anyMatch(each -> each.isOpen(now));
  }

  /**
   * Return the plan of a query that a command runs to change rows. The plan gets slots if the query
   * stores or writes rows. Return the plan of any other query unchanged.
   */
  public LogicalPlan inChange(LogicalPlan query) {
    Caller now = Caller.current();
    for (Changing command : changes) {
      if (command.isOpen(now) && DeltaChange.isStoring()) {
        LogicalPlan plan = caching(query, command.session());
        command.stored(caches.last());
        return plan;
      }
      if (command.isOpen(now) && command.writes(query)) {
        return changed(command, query);
      }
    }
    return query;
  }

  /**
   * Abandon the command that this thread runs to change rows; return the command's target, or null.
   */
  public Target abandoned() {
    Caller now = Caller.current();
    for (Changing command : List.copyOf(changes)) {
      if (command.isOpen(now)) {
        changes.remove(command);
        return command.target();
      }
    }
    return null;
  }

  private LogicalPlan changed(Changing command, LogicalPlan query) {
    if (command.source() != null) {
      caches.stored(query, command.source());
    }
    command.target().changed(query);
    return begun(command).plan();
  }

  private Write begun(Changing command) {
    SparkSession session = command.session();
    Write write = new Write(command.target(), place(), options, session, caches, command);
    command.writes(write);
    writes.add(write);
    return write;
  }

  /** Record the files of a command that has returned, even if the command only removes files. */
  private void finish(Changing command) {
    if (!command.isClosed()) {
      command.close();
      try {
        if (command.write() == null && command.hasCommitted()) {
          begun(command);
        }
      } catch (RuntimeException error) { // the command itself has succeeded
        lost(command, error);
      }
      release(command);
    }
  }

  /** Forget the rows of a MERGE's source that Delta stored, which no write can read any more. */
  private void release(Changing command) {
    if (command.source() != null) {
      caches.end(command.source());
    }
  }

  private void lost(Changing command, RuntimeException error) {
    Unsupported refused =
        error instanceof Unsupported known
            ? known
            : Unsupported.write("It is unknown which rows it has changed: " + error);
    uncaptured(Refusal.of(command.command(), command.target(), refused));
  }

  /** Record a write that has run without capture. */
  protected void uncaptured(Refusal refusal) {
    refusals.add(refusal);
  }

  private void prepare(Target target, SparkSession session) {
    List.copyOf(writes).forEach(earlier -> awaitEnd(earlier, target));
    target.check();
    if (options.sampled() && target.isKeyed()) {
      throw new Unsupported(
          "No sample can be taken of the lineage of this write",
          "It writes " + target.name() + " as " + target.format()
              + ", and a later job that reads it needs the keys of all rows",
          "Capture it without a sample, or write it as Parquet or Delta");
    }
    for (Write earlier : List.copyOf(writes)) {
      earlier.precede(target, Streams.batchOf(session));
    }
    begin(session);
  }

  /** Return the plan of a frame that Spark caches, with columns for the slots of its rows. */
  public LogicalPlan caching(LogicalPlan query, SparkSession session) {
    if (caches.has(query)) {
      return query;
    }
    begin(session);
    return caches.caching(query, session);
  }

  /**
   * Return the plan of a frame whose rows the program passes to an RDD, with a tap for all rows, or
   * null.
   */
  public Caches.Passing passing(LogicalPlan query, SparkSession session) {
    begin(session);
    return caches.passing(query, session);
  }

  /** Record the RDD with the rows of the plan that {@code passing} has returned. */
  public synchronized void passed(RDD<?> rows, Caches.Passing passing) {
    caches.passed(rows, passing.frame());
  }

  /** Return the number of a new write. The folder of the write has the number as its name. */
  public synchronized int reserve() {
    return numbered++;
  }

  /** Return the write with this number. */
  public Write write(int number) {
    return writes.stream().filter(write -> write.is(number)).findFirst().orElseThrow();
  }

  /** Return the plan of a frame that the block has cached. */
  public LogicalPlan cached(LogicalPlan scan) {
    return caches.query(scan);
  }

  /** Wait until Spark has reported the end of an earlier write. Spark reports it with a delay. */
  private void awaitEnd(Write earlier, Target next) {
    long late = System.nanoTime() + TimeUnit.SECONDS.toNanos(NEWS);
    while (earlier.mayPrecede(next) && System.nanoTime() < late) {
      try {
        wait(100); // releases the monitor, which the listener needs
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }

  /** Record a write that is refused, or that runs without capture. {@code target} may be null. */
  public Unsupported refuse(LogicalPlan command, Target target, Unsupported error, SparkSession session) {
    refusals.add(Refusal.of(command, target, error));
    if (options.plain() && target != null) {
      writes.forEach(write -> write.replaceBy(target));
    }
    refused = options.plain() ? refused : error;
    return error;
  }

  public Set<Refusal> refusals() {
    return refusals;
  }

  public synchronized Unsupported refused() {
    return refused;
  }

  /** Return the write of a command that has ended, or null. */
  public Write ended(LogicalPlan command, boolean success) {
    for (Changing each : List.copyOf(changes)) {
      if (each.is(command)) {
        changes.remove(each);
        if (success) {
          finish(each);
        }
        release(each);
        return each.write();
      }
    }
    return writeOf(command);
  }

  /** Return the write that a plan belongs to, or null. */
  public Write writeOf(LogicalPlan plan) {
    Tap tap = Plans.called(plan, Tap.class);
    for (Write write : writes) {
      if (write.rows().equals(tap)) {
        return write;
      }
    }
    LogicalPlan saved = DeltaCommand.rowsOf(plan);
    if (saved != null) {
      return writeOf(saved);
    }
    List<LogicalPlan> children = Plans.list(plan.children());
    return children.size() == 1 ? writeOf(children.get(0)) : null;
  }

  /** Return the pickled Python functions of all writes, keyed by their digests. */
  public Map<String, byte[]> functions() {
    Map<String, byte[]> found = new LinkedHashMap<>();
    writes.forEach(write -> found.putAll(write.functions()));
    return found;
  }

  /** End the capture: tasks of later stages do not write associations. */
  public synchronized void close() {
    closed = true;
    caches.end();
    store();
  }

  public synchronized void store() {
    writes.forEach(Write::endBatch);
    writes.forEach(Write::store);
  }
}
