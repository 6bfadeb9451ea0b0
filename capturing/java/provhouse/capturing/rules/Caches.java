package provhouse.capturing.rules;

import java.util.*;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.spark.api.java.function.Function;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Subquery;
import org.apache.spark.sql.execution.LogicalRDD;
import org.apache.spark.sql.execution.columnar.InMemoryRelation;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import provhouse.capturing.Unsupported;
import provhouse.capturing.plans.*;
import provhouse.capturing.sources.*;
import provhouse.capturing.spark.*;
import provhouse.capturing.taps.*;
import scala.collection.immutable.Seq;

/**
 * The frames that a block has cached, with the slots of each row as further columns of the cache.
 * Checkpoints, and batches of a stream before the program gets their rows, are treated in the same
 * way. Rows that the program has passed to an RDD keep no slots, so each row of a frame that is
 * made from this RDD derives from all of them.
 *
 * <p>So the rows of a cache keep the lineage of their computation, even if they are random. Spark
 * reads a cache's columns by position, and ignores columns that are added at the end. The names of
 * the added columns contain the block and the number of the frame.
 */
public final class Caches {
  private static final Logger LOG = LoggerFactory.getLogger(Caches.class);
  private static final String PREFIX = "provhouse_cached_";
  private static final String MANAGER = "org.apache.spark.sql.execution.CacheManager";
  /**
   * The tag at the end of each row of frame 0, if this frame is a checkpoint. The tag of frame n is
   * this number plus n.
   */
  private final long firstTag = new Random().nextLong() >>> 1;
  private final String own = PREFIX + UUID.randomUUID() + "_";
  private final String folder;
  private final Map<String, List<String>> keys;
  private final AtomicBoolean off = new AtomicBoolean();
  private final List<Cached> known = new ArrayList<>();
  /** The numbers of frames whose rows Delta has materialized, keyed by the RDD with the rows. */
  private final Map<Object, Integer> stored = new WeakHashMap<>();

  private final FrameRdds passed = new FrameRdds();
  /** The stream and batch of each frame that is the newest batch of a stream. */
  private final Map<Integer, String> newest = new HashMap<>();

  private Streams.Batch batch;

  public Caches(String folder, Map<String, List<String>> keys) {
    this.folder = folder;
    this.keys = keys;
  }

  /** The plan of a frame whose rows the program passes to an RDD, and the number of the frame. */
  public record Passing(LogicalPlan plan, int frame) {}

  /** A frame that was cached with its slots, or the reason why it was cached without slots. */
  private record Cached(
      LogicalPlan query, Rewriting rewriting, List<Integer> kinds, Unsupported refusal) {
    /** A frame that no write can read any more, such as an earlier batch of a stream. */
    static final Cached ENDED = new Cached(null, null, List.of(), null);

    long nextNumber() {
      return rewriting == null ? 0 : rewriting.files().nextNumber();
    }
  }

  /** Return the lowest number above all file numbers of the frames that writes may still read. */
  public long nextNumber() {
    return known.stream().mapToLong(Cached::nextNumber).max().orElse(0);
  }

  /** Return whether Spark optimizes the current plan in order to cache its rows. */
  public static boolean isCaching() {
    return Calls.isInside(MANAGER);
  }

  /** Return whether Spark optimizes the current plan in order to checkpoint its rows. */
  public static boolean isCheckpointing() {
    return Calls.isInside("Dataset", "checkpoint");
  }

  /** Return whether a plan already has the slots of its rows as columns. */
  public boolean has(LogicalPlan plan) {
    return Plans.output(plan).stream().anyMatch(each -> numberOf(each) >= 0);
  }

  /**
   * Store the batch that this thread's stream has passed to the program, or null if there is none.
   */
  public void handed(Streams.Batch current) {
    batch = current;
  }

  /** Return the number of the frame that was cached last. */
  public int last() {
    return known.size() - 1;
  }

  /** Record that each RDD in the plan contains the rows of the frame with this number. */
  public void stored(LogicalPlan plan, int frame) {
    if (plan instanceof LogicalRDD rows) {
      stored.put(rows.rdd(), frame);
    }
    Plans.children(plan).forEach(each -> stored(each, frame));
  }

  /** Return the plan of a frame that will be cached, with its rows' slots as further columns. */
  public LogicalPlan caching(LogicalPlan query, SparkSession session) {
    int number = known.size();
    if (Streams.isPlanning()) {
      endBatches(Streams.queryOf(session) + "/", Streams.batchOf(session));
      newest.put(number, Streams.batchOf(session));
    }
    List<NamedExpression> columns = new ArrayList<>(Plans.output(query));
    List<Integer> kinds = new ArrayList<>();
    LogicalPlan plan = query;
    try {
      Streams.check(query);
      Taps taps = new Taps(folder + "/cache-" + number, off, false, false);
      Rewriting rewriting = Rewriting.of(query, taps, keys, session, this);
      for (Slot slot : rewriting.rows().slots()) {
        columns.add(Plans.alias(slot.attribute(), own + number));
        kinds.add(slot.tap());
      }
      plan = rewriting.rows().plan();
      known.add(new Cached(query, rewriting, kinds, null));
    } catch (Unsupported error) { // thrown later, if the rows are written with capture
      known.add(new Cached(query, null, kinds, error));
    }
    if (kinds.isEmpty()) {
      columns.add(Plans.alias(Plans.nothing(), own + number));
      kinds.add(Form.ROWS);
    }
    if (isCheckpointing()) {
      columns.add(Plans.alias(Plans.number(firstTag + number), own + number));
    }
    return Plans.only(columns, plan);
  }

  /**
   * Forget the earlier batches of a stream. Otherwise a stream with many batches would use up the
   * numbers of files. Spark may plan one batch twice and use either plan.
   */
  private void endBatches(String stream, String next) {
    for (int frame : List.copyOf(newest.keySet())) {
      String batch = newest.get(frame);
      if (batch.startsWith(stream) && !batch.equals(next)) {
        newest.remove(frame);
        end(frame);
      }
    }
  }

  /** Forget a frame that no write can read any more, so that its file numbers are free. */
  public void end(int frame) {
    known.set(frame, Cached.ENDED);
  }

  /** Return whether the program passes the rows of a plan to an RDD ({@code frame.rdd}). */
  public static boolean isPassing(LogicalPlan plan) {
    return FrameRdds.isPassing() && !(plan instanceof Subquery) && !FrameRdds.hasTaps(plan);
  }

  /**
   * Return the plan of a frame whose rows the program passes to an RDD, with a tap for all rows.
   * Return null if the plan cannot be rewritten, or if this has been done.
   */
  public Passing passing(LogicalPlan query, SparkSession session) {
    if (passed.isPassed(query)) {
      return null;
    }
    try {
      Taps taps = new Taps(folder + "/cache-" + known.size(), off, false, false);
      Rewriting rewriting = Rewriting.of(query, taps, keys, session, this);
      Rewritten rows = rewriting.rows();
      int number =
          taps.number("rdd", query, Taps.operator(query, List.of(), rows.slots(), "superset"));
      Alias key = Plans.alias(Plans.number(0), "provhouse_key");
      LogicalPlan tapped = taps.keyed(number, GroupKey.ONE, key, rows);
      known.add(new Cached(query, rewriting, List.of(number), null));
      return new Passing(Plans.only(Plans.output(query), tapped), last());
    } catch (Unsupported error) { // a write of the RDD's rows is refused later
      return null;
    }
  }

  /** Record the RDD with the rows of the frame with this number, which {@code passing} returned. */
  public void passed(RDD<?> rows, int frame) {
    passed.put(rows, frame);
  }

  /**
   * Return the frames that the RDD of a scan is computed from, or an empty list. Rows that have
   * slots of their own are in no such RDD.
   */
  private List<Cached> framesOf(LogicalPlan node) {
    if (!(node instanceof LogicalRDD rows) || isHanded(rows) || stored.containsKey(rows.rdd())) {
      return List.of();
    }
    return passed.of(rows.rdd()).stream().map(known::get).toList();
  }

  /** Return whether these are the rows that this thread's stream has passed to the program. */
  private boolean isHanded(LogicalRDD node) {
    return batch != null && node.rdd() == batch.rows();
  }

  /** Return the plans of the frames that the RDD of a scan is computed from, or an empty list. */
  List<LogicalPlan> passedTo(LogicalPlan node) {
    return framesOf(node).stream().map(Cached::query).toList();
  }

  /** Rewrite the scan of an RDD: each row derives from all rows of each of these frames. */
  private static Rewritten whole(
      LogicalPlan node, List<Cached> frames, SourceFiles files, Taps taps) {
    List<Integer> numbers = new ArrayList<>();
    for (Cached frame : frames) {
      List<Integer> included = taps.include(frame.rewriting().taps());
      files.include(frame.rewriting().files());
      numbers.add(included.get(frame.kinds().get(0)));
    }
    LOG.warn(
        "The rows of {} went through an RDD, so each of them derives from all rows of its frame",
        Plans.output(node).stream().map(Attribute::name).toList());
    return Subqueries.carrying(new Rewritten(node, List.of()), numbers);
  }

  /** Rewrite the scan of a cache or of a stream's batch; refuse rows without lineage. */
  Rewritten scan(LogicalPlan node, SourceFiles files, Taps taps) {
    List<Cached> frames = framesOf(node);
    if (!frames.isEmpty()) {
      return whole(node, frames, files, taps);
    }
    List<Slot> slots = slots(of(node), files, taps);
    Seq<Attribute> output = Plans.seq(Plans.joined(Plans.output(node), Slot.attributes(slots)));
    if (node instanceof InMemoryRelation cache) {
      InMemoryRelation scan = cache.copy(output, cache.cacheBuilder(), cache.outputOrdering());
      scan.statsOfPlanToCache_$eq(cache.statsOfPlanToCache());
      return new Rewritten(scan, slots);
    }
    LogicalRDD scan = BatchRows.with(output, (LogicalRDD) node, SparkSession.active());
    return new Rewritten(scan, slots);
  }

  /**
   * Return new columns for a cached frame's slots, and add the frame's files and taps to a write.
   */
  private static List<Slot> slots(Cached cached, SourceFiles files, Taps taps) {
    List<Integer> numbers = taps.include(cached.rewriting().taps());
    files.include(cached.rewriting().files());
    List<Slot> slots = new ArrayList<>();
    for (int kind : cached.kinds()) {
      Alias column = Plans.alias(Plans.nothing(), "provhouse_slot");
      Attribute slot = column.toAttribute().withNullability(true);
      slots.add(new Slot(slot, kind == Form.ROWS ? kind : numbers.get(kind)));
    }
    return slots;
  }

  /** Return the plan that computed a cache's rows, with the cache's columns in the same order. */
  public LogicalPlan query(LogicalPlan node) {
    return of(node).query();
  }

  /** Return whether the rows of a cache may depend on the absence of other rows. */
  boolean hasAbsence(LogicalPlan node) {
    List<Cached> frames = framesOf(node);
    return (frames.isEmpty() ? List.of(of(node)) : frames).stream()
        .anyMatch(each -> each.rewriting().absence());
  }

  /**
   * End the capture. From then on, the taps of cached frames write nothing, even if Spark caches or
   * computes the frames again.
   */
  public void end() {
    off.set(true);
  }

  private Cached of(LogicalPlan node) {
    return node instanceof LogicalRDD rows ? of(rows) : of((InMemoryRelation) node);
  }

  private Cached of(LogicalRDD node) {
    Integer number = stored.get(node.rdd());
    Cached kept = number == null ? null : known.get(number);
    Cached found =
        isHanded(node) ? of(Plans.output(batch.plan())) : kept == null ? checkpoint(node) : kept;
    if (found == null || found == Cached.ENDED) {
      throw Unsupported.rows(
          node.nodeName(),
          "Its rows come from an RDD that was not made from frames of the block alone, another "
              + "batch of a stream, or a checkpoint that was not made at once in the block, which "
              + "do not keep their sources");
    }
    if (found.refusal() != null) {
      throw found.refusal();
    }
    return found;
  }

  /**
   * Return the frame that was kept as a checkpoint in the block, or null. Its rows have more
   * fields than the scan has columns, and end with a tag.
   */
  private Cached checkpoint(LogicalRDD node) {
    if (!node.rdd().isCheckpointed()) {
      return null;
    }
    Tag tag = new Tag(Plans.output(node).size());
    for (long found : node.rdd().toJavaRDD().map(tag).take(1)) {
      long number = found - firstTag;
      return number >= 0 && number < known.size() ? known.get((int) number) : null;
    }
    return null;
  }

  /** Reads the tag at the end of a row. A row without a tag has only {@code columns} fields. */
  private record Tag(int columns) implements Function<InternalRow, Long> {
    @Override
    public Long call(InternalRow row) {
      return row.numFields() > columns ? row.getLong(row.numFields() - 1) : Form.NONE;
    }
  }

  private Cached of(InMemoryRelation node) {
    Cached found = of(Plans.<Attribute>list(node.cacheBuilder().cachedPlan().output()));
    if (found != null && found.refusal() != null) {
      Unsupported why = found.refusal();
      throw new Unsupported(why.problem(), why.found() + ". It is cached", why.remedy());
    }
    if (found != null) {
      return found;
    }
    throw new Unsupported(
        "The lineage of a cached data frame cannot be captured",
        "It was cached outside of the block, so the sources of its rows are unknown",
        "Call unpersist() before the block, and cache the frame inside of the block");
  }

  /** Return the cached frame to which one of these columns was added, or null. */
  private Cached of(List<? extends Attribute> columns) {
    for (Attribute column : columns) {
      int number = numberOf(column);
      if (number >= 0) {
        return known.get(number);
      }
    }
    return null;
  }

  private int numberOf(Attribute column) {
    return column.name().startsWith(own)
        ? Integer.parseInt(column.name().substring(own.length()))
        : -1;
  }
}
