package provhouse.capturing.replay;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.net.URI;
import java.nio.ByteBuffer;
import java.util.*;
import java.util.function.Function;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.expressions.*;
import org.apache.spark.sql.catalyst.plans.JoinType;
import org.apache.spark.sql.catalyst.plans.LeftAnti$;
import org.apache.spark.sql.catalyst.plans.LeftSemi$;
import org.apache.spark.sql.catalyst.plans.logical.*;
import org.apache.spark.sql.execution.datasources.FileStatusWithMetadata;
import org.apache.spark.sql.execution.datasources.HadoopFsRelation;
import org.apache.spark.sql.execution.datasources.LogicalRelation;
import org.apache.spark.sql.types.DataTypes;
import provhouse.capturing.Unsupported;
import provhouse.capturing.plans.*;
import provhouse.capturing.sources.*;
import provhouse.capturing.spark.*;
import provhouse.capturing.taps.*;
import provhouse.capturing.writes.*;
import scala.Option;

/**
 * Computes a frame again on chosen rows of its sources.
 *
 * <p>The caller first calls {@code files}, then passes the numbers that these files have in the
 * caller's row ids to {@code number}. If the frame scans a table that the block wrote, the plan of
 * the write replaces the scan. If it scans a cache, the plan of the cached rows replaces the scan.
 */
public final class Replay {
  private static final String ROW = "provhouse_row";
  private final SparkSession session;
  private final Block block;
  private final Map<String, Integer> made = new HashMap<>();
  private final SourceFiles files = new SourceFiles(null, 0);
  private final Map<LogicalPlan, RowIds> scans = new IdentityHashMap<>();
  private final Map<LogicalPlan, KeptRows> kept = new IdentityHashMap<>();
  private SparkSession small;
  private LogicalPlan plan;
  private Unsupported refusal;

  public Replay(SparkSession session, Block block, LogicalPlan optimised, List<Integer> writes) {
    this.session = session;
    this.block = block;
    for (int write : writes) {
      block.write(write).written().forEach(file -> made.put(URI.create(file).getPath(), write));
    }
    try {
      plan = opened(optimised);
    } catch (Unsupported error) {
      refusal = error;
    }
  }

  /** Return the reason why the frame cannot be computed again, or null. */
  public Unsupported refusal() {
    return refusal;
  }

  /** Return the optimised plan of a frame, with the frame's column names. */
  public static LogicalPlan optimised(Dataset<Row> frame) {
    return Plans.named(frame.queryExecution().optimizedPlan(), List.of(frame.columns()));
  }

  private LogicalPlan opened(LogicalPlan plan) {
    return new PlanMap(this::openedLeaf).apply(plan);
  }

  /** Return a leaf, or the plan of the leaf's rows if the block has written or cached them. */
  private LogicalPlan openedLeaf(LogicalPlan leaf) {
    return switch (Kind.of(leaf)) {
      case SCAN -> opened((LogicalRelation) leaf);
      case CACHE -> as(leaf, opened(block.cached(leaf)), false);
      case LOCAL -> leaf; // the program contains its rows
      default -> throw unreadable(leaf);
    };
  }

  private static Unsupported unreadable(LogicalPlan leaf) {
    return refusal(
        "It reads " + leaf.nodeName() + ", which is neither Parquet nor Delta",
        "Write this source as Parquet, and capture the program again");
  }

  private LogicalPlan opened(LogicalRelation scan) {
    if (scan.isStreaming()) {
      throw refusal(
          "It reads a batch of a stream",
          "Read its folder without a stream, and capture the program again");
    }
    if (!Sources.hasPlaces(scan)) {
      throw unreadable(scan);
    }
    TreeSet<Integer> writes = new TreeSet<>();
    boolean others = false;
    for (FileStatusWithMetadata file : Listing.files((HadoopFsRelation) scan.relation())) {
      Integer write = made.get(file.getPath().toUri().getPath());
      others |= write == null;
      if (write != null) {
        writes.add(write);
      }
    }
    if (writes.isEmpty()) {
      Sources.checkReadable(scan);
      scans.put(scan, files.rowIds(scan, ""));
      return scan;
    }
    if (others) {
      throw refusal(
          "It reads a table that the block wrote in part",
          "Read the rest of the table as a separate table");
    }
    List<LogicalPlan> parts = new ArrayList<>();
    for (int write : writes) {
      parts.add(as(scan, opened(block.write(write).named()), true));
    }
    return parts.size() == 1
        ? parts.get(0)
        : as(scan, new Union(Plans.seq(parts), false, false), false);
  }

  /**
   * Return a plan with the columns of {@code other}, matched by name or by position.
   */
  private static LogicalPlan as(LogicalPlan other, LogicalPlan plan, boolean byName) {
    List<Attribute> own = Plans.output(plan);
    List<NamedExpression> columns = new ArrayList<>();
    for (Attribute column : Plans.output(other)) {
      Attribute value = byName ? named(column.name(), own) : own.get(columns.size());
      Expression cast = Plans.as(value, column.dataType());
      boolean same = cast == value && value.exprId().equals(column.exprId());
      columns.add(same ? value : Plans.renamed(cast, column));
    }
    return Plans.only(columns, plan);
  }

  private static Attribute named(String name, List<Attribute> columns) {
    return columns.stream()
        .filter(each -> each.name().equalsIgnoreCase(name))
        .findFirst()
        .orElseThrow(
            () ->
                refusal(
                    "A table that the block wrote lacks the column " + name,
                    "Read the table with the columns that were written"));
  }

  private static Unsupported refusal(String found, String remedy) {
    return new Unsupported("The frame cannot be computed again on other rows", found, remedy);
  }

  /** Return the files that the frame reads, as JSON. */
  public String files() throws JsonProcessingException {
    return new ObjectMapper().writeValueAsString(files.described());
  }

  /** Number the files. The argument is a JSON list of numbers in the order of {@code files}. */
  public void number(String json) throws JsonProcessingException {
    List<Long> numbers = new ObjectMapper().readValue(json, new TypeReference<List<Long>>() {});
    Map<Long, Long> others = new HashMap<>();
    for (Map<String, Object> file : files.described()) {
      others.put((Long) file.get("number"), numbers.get(others.size()));
    }
    scans.replaceAll((scan, ids) -> ids.renumbered(others));
  }

  /**
   * Keep the given rows in memory, so that computing the frame on some of them needs no scan of
   * the sources.
   *
   * <p>{@code few} contains the sorted ids of the rows. Nothing is kept if the frame's result
   * depends on the positions of rows, for example because of random numbers.
   */
  public void keep(byte[] few) {
    long[] ids = numbers(few);
    if (KeptRows.suffice(plan)) {
      small = KeptRows.session(session);
      scans.forEach(
          (scan, rows) -> {
            LogicalPlan wider = identified(scan);
            kept.put(scan, KeptRows.read(session, new Filter(has(wider, ids), wider)));
          });
    }
  }

  /** Compute all rows and columns of a frame, and discard them. */
  public void compute(Dataset<Row> frame) {
    frame.queryExecution().toRdd().count();
  }

  /** Return the frame on only the rows with the given sorted ids, or on all rows except them. */
  public Dataset<Row> on(byte[] few, boolean only) {
    long[] ids = numbers(few);
    return computed(
        only && small != null ? small : session,
        scan -> {
          if (only && kept.containsKey(scan)) {
            return kept.get(scan).only(ids, Plans.output(scan));
          }
          if (touches(scan, ids)) {
            return restricted(scan, ids, only);
          }
          return only ? empty(scan) : scan;
        });
  }

  /**
   * Return the frame on only the rows whose ids are in {@code ids}, a frame with one column, or on
   * all rows except them.
   */
  public Dataset<Row> on(Dataset<Row> ids, boolean only) {
    return computed(session, scan -> joined(scan, DataFrames.plan(ids), only));
  }

  private static long[] numbers(byte[] bytes) {
    long[] found = new long[bytes.length / Long.BYTES];
    ByteBuffer.wrap(bytes).asLongBuffer().get(found);
    return found;
  }

  private Dataset<Row> computed(SparkSession in, Function<LogicalPlan, LogicalPlan> scanned) {
    LogicalPlan found =
        new PlanMap(leaf -> scans.containsKey(leaf) ? scanned.apply(leaf) : leaf).apply(plan);
    return DataFrames.of(in, found);
  }

  private boolean touches(LogicalPlan scan, long[] ids) {
    RowIds rows = scans.get(scan);
    return Arrays.stream(ids).map(id -> id >> Form.ROW_BITS).distinct().anyMatch(rows::has);
  }

  private static LogicalPlan empty(LogicalPlan scan) {
    return Operators.local(Plans.seq(Plans.output(scan)), Plans.seq());
  }

  private LogicalPlan restricted(LogicalPlan scan, long[] ids, boolean only) {
    LogicalPlan rows = identified(scan);
    Expression has = has(rows, ids);
    return Plans.only(Plans.output(scan), new Filter(only ? has : new Not(has), rows));
  }

  private LogicalPlan identified(LogicalPlan scan) {
    return Sources.identified((LogicalRelation) scan, scans.get(scan));
  }

  private static Expression has(LogicalPlan rows, long[] ids) {
    return Plans.call(new RowSet(ids), "has", DataTypes.BooleanType, List.of(Sources.id(rows)), true);
  }

  private LogicalPlan joined(LogicalPlan scan, LogicalPlan ids, boolean only) {
    LogicalPlan rows = identified(scan);
    Alias wanted = Plans.alias(Plans.output(ids).get(0), ROW);
    JoinType type = only ? LeftSemi$.MODULE$ : LeftAnti$.MODULE$;
    Join join =
        new Join(
            rows,
            Plans.only(List.of(wanted), ids),
            type,
            Option.apply(new EqualTo(Sources.id(rows), wanted.toAttribute())),
            JoinHint$.MODULE$.NONE());
    return Plans.only(Plans.output(scan), join);
  }
}
