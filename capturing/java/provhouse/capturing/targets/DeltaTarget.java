package provhouse.capturing.targets;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.*;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.SortOrder;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.*;
import provhouse.capturing.Unsupported;
import provhouse.capturing.plans.*;
import provhouse.capturing.spark.*;

/**
 * A Delta table, with or without partitions. Delta plans the rows once more and commits the write.
 * The commit lists the written files.
 */
final class DeltaTarget implements Target {
  private static final String OPTIMIZE = "optimizewrite";

  /** The column that is true for the rows of a table's change data feed. */
  private static final String FEED = "__is_cdc";

  private final DeltaCommand command;
  private final SparkSession session;
  private final Configuration settings;
  private final Path path;
  private DeltaLog log;
  private List<String> partitions;
  private LogicalPlan optimized;
  /**
   * The plan of the written rows of a command that changes rows, or null while it is not yet known.
   */
  private LogicalPlan changed;

  private DeltaCommits commits;

  DeltaTarget(DeltaCommand command, SparkSession session) {
    this.command = command;
    this.session = session;
    settings = session.sessionState().newHadoopConf();
    try {
      FileSystem files = command.path().getFileSystem(settings);
      path = files.makeQualified(command.path());
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }

  @Override
  public void check() {
    log = DeltaLog.of(session, path, command.delta().getClass().getClassLoader());
    checkOptimized(command.options());
    checkOptimized(log.properties());
    if (session.conf().getOption("spark.databricks.delta.optimizeWrite.enabled").isDefined()) {
      throw optimizes();
    }
    if (command.addsNothing()) {
      partitions = List.of(); // moved rows are found by their keys
    } else {
      checkPartitions();
    }
    checkReplaced();
    if (command.delta() instanceof LogicalPlan) { // a command that changes rows
      checkOff("delta.enableRowTracking", "stores the ids of copied rows");
    }
  }

  private void checkOff(String property, String found) {
    if (log.properties().getOrDefault(property, "false").equalsIgnoreCase("true")) {
      throw Unsupported.write("Delta " + found + ", by " + property);
    }
  }

  private static void checkOptimized(Map<String, String> options) {
    for (String name : options.keySet()) {
      if (name.toLowerCase(Locale.ROOT).endsWith(OPTIMIZE)) {
        throw optimizes();
      }
    }
  }

  private static Unsupported optimizes() {
    return Unsupported.write("Delta optimizes the write (optimizeWrite), which moves rows between tasks");
  }

  private void checkPartitions() {
    List<String> given = command.partitions();
    boolean known = log.version() >= 0 && !command.creates();
    partitions = known || given == null ? log.names() : given;
    if (known && given != null && !given.isEmpty() && !given.equals(partitions)) {
      throw Unsupported.write("It changes the partitions of a Delta table");
    }
    for (Map.Entry<String, String> option : command.options().entrySet()) {
      if (option.getKey().equalsIgnoreCase("overwriteSchema") && !partitions.isEmpty()) {
        throw Unsupported.write("It may change the partitions of a Delta table, by overwriteSchema");
      }
    }
    if (partitions.isEmpty()) {
      return;
    }
    checkWriters();
    for (Attribute column : columns(rows())) {
      checkType(column, known);
    }
  }

  private void checkWriters() {
    if (session.sessionState().conf().maxConcurrentOutputFileWriters() > 0) {
      throw Unsupported.write("A task writes several files at once, due to Spark's settings");
    }
  }

  /** Refuse partitions whose values Delta casts, or formats differently in the names of folders. */
  private void checkType(Attribute column, boolean known) {
    DataType type = column.dataType();
    for (StructField field : log.partitions().fields()) {
      boolean same = known && field.name().equalsIgnoreCase(column.name());
      if (same && !field.dataType().equals(type)) {
        throw Unsupported.write(
            "Delta casts the partition " + column.name() + " to " + field.dataType().simpleString());
      }
    }
    if (type.equals(DataTypes.TimestampType) || type.equals(DataTypes.TimestampNTZType)) {
      throw Unsupported.write("It writes a Delta table with a partition by a time");
    }
  }

  /**
   * Refuse to replace only some rows of a file, since Delta would write the file's other rows
   * again.
   */
  private void checkReplaced() {
    if (command.replaced() != null) {
      Plans.parts(command.replaced(), Attribute.class).forEach(each -> checkFolder(each.name()));
    }
  }

  private void checkFolder(String column) {
    if (partitions.stream().noneMatch(column::equalsIgnoreCase)) {
      throw Unsupported.write(
          "It replaces rows of a Delta table (replaceWhere) by " + column
              + ", which is not one of its partitions");
    }
  }

  /** Return a plan's partition columns, in the order of the folders. */
  private List<Attribute> columns(LogicalPlan plan) {
    List<Attribute> found = new ArrayList<>();
    for (String name : partitions) {
      found.add(
          Plans.output(plan).stream()
              .filter(each -> each.name().equalsIgnoreCase(name))
              .findFirst()
              .orElseThrow(() -> Unsupported.write("Delta computes the partition " + name)));
    }
    return found;
  }

  /**
   * Return the plan of the rows, which Delta will analyze and optimize once more.
   *
   * <p>The plan sorts the rows by their folders, since Spark would otherwise sort them above the
   * tap.
   */
  @Override
  public LogicalPlan query() {
    if (optimized == null) {
      optimized = sorted(changed == null ? Replanned.optimised(command.query(), session) : changed);
    }
    return optimized;
  }

  @Override
  public void changed(LogicalPlan rows) {
    changed = rows;
    optimized = null;
    if (skipped() != null) {
      checkWriters();
    }
  }

  @Override
  public Expression skipped() {
    return changed == null
        ? null
        : Plans.output(changed).stream()
            .filter(each -> each.name().equals(FEED))
            .findFirst()
            .orElse(null);
  }

  private LogicalPlan rows() {
    return changed == null ? command.query() : changed;
  }

  private LogicalPlan sorted(LogicalPlan plan) {
    List<SortOrder> order = new ArrayList<>();
    if (skipped() != null) {
      order.add(Plans.ascending(skipped())); // Delta's first partition
    }
    columns(plan).forEach(column -> order.add(Plans.ascending(column)));
    return order.isEmpty() ? plan : Operators.sorted(Plans.seq(order), plan);
  }

  @Override
  public List<String> names() {
    return Plans.output(rows()).stream().map(Attribute::name).toList();
  }

  @Override
  public LogicalPlan with(LogicalPlan query) {
    return command.asSaved().apply(query);
  }

  @Override
  public Path path() {
    return path;
  }

  @Override
  public String table() {
    return command.table();
  }

  @Override
  public String format() {
    return "delta";
  }

  @Override
  public List<Expression> texts() {
    return Layout.texts(
        partitions, columns(query()), session.sessionState().conf().sessionLocalTimeZone());
  }

  @Override
  public boolean replaces() {
    return log.version() < 0 || command.creates() || command.overwrites() && !isDynamic();
  }

  /** Return whether an overwrite may keep partitions for which it has no rows. */
  private boolean isDynamic() {
    for (Map.Entry<String, String> option : command.options().entrySet()) {
      if (option.getKey().equalsIgnoreCase("partitionOverwriteMode")) {
        return !option.getValue().equalsIgnoreCase("static");
      }
    }
    return session.sessionState().conf().partitionOverwriteMode()
        != SQLConf.PartitionOverwriteMode$.MODULE$.STATIC();
  }

  /** Return the files that have been added by commits since the plan was made. */
  @Override
  public Set<String> written() {
    commits = DeltaCommits.after(log, path, command.moves(), settings);
    return commits.written();
  }

  @Override
  public Set<String> removed() {
    return commits.removed();
  }

  @Override
  public Map<String, JsonNode[]> vectors() {
    return commits.vectors();
  }

  @Override
  public String committed() {
    return commits.committed();
  }

  @Override
  public int commits() {
    return commits.commits();
  }

  @Override
  public boolean moves() {
    return command.moves();
  }

  @Override
  public Map<String, String> fileNames() {
    return commits.names();
  }

  @Override
  public Map<String, String> places() {
    return commits.places(partitions);
  }

  @Override
  public Map<String, Object> tracking() {
    return commits.tracking();
  }
}
