package provhouse.capturing.targets;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
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
import provhouse.capturing.sources.*;
import provhouse.capturing.spark.*;

/**
 * A Delta table, with or without partitions. Delta plans the rows once more and commits the write.
 * The commit lists the written files.
 */
final class DeltaTarget implements Target {
  private static final String OPTIMIZE = "optimizewrite";
  private static final String ROW_IDS = "delta.rowTracking.materializedRowIdColumnName";
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

  /**
   * The name of the column in which Delta keeps the ids of rows that it has moved, or null. The
   * name differs from table to table.
   */
  private String rowIds;

  /** The name of each column in files, keyed by the column's name in the table. */
  private Map<String, String> names = Map.of();

  private final Set<String> removed = new TreeSet<>();
  private String committed = "";
  /** The number of commits that have changed rows. */
  private int commits;

  /**
   * For each written file, by its address: the version of its commit and the id of its first row.
   */
  private final Map<String, List<Long>> firstRows = new TreeMap<>();

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
    checkPartitions();
    checkReplaced();
    if (command.delta() instanceof LogicalPlan) { // a command that changes rows
      checkOff("delta.enableChangeDataFeed", "writes changes to a change data feed");
      checkOff("delta.enableDeletionVectors", "deletes rows by deletion vectors");
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
    if (session.sessionState().conf().maxConcurrentOutputFileWriters() > 0) {
      throw Unsupported.write("A task writes several files at once, due to Spark's settings");
    }
    if (!log.properties().getOrDefault("delta.columnMapping.mode", "none").equals("none")) {
      throw Unsupported.write("The folders of this Delta table do not have the names of its columns");
    }
    for (Attribute column : columns(rows())) {
      checkType(column, known);
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
  }

  private LogicalPlan rows() {
    return changed == null ? command.query() : changed;
  }

  private LogicalPlan sorted(LogicalPlan plan) {
    List<SortOrder> order = new ArrayList<>();
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
    Set<String> found = new TreeSet<>();
    rowIds = log.properties().get(ROW_IDS);
    names = FileNames.of(log.schema());
    try {
      FileSystem files = path.getFileSystem(settings);
      for (long version = log.version() + 1; ; version++) {
        Path commit = new Path(path, String.format("_delta_log/%020d.json", version));
        if (!files.exists(commit)) {
          return found;
        }
        try (BufferedReader lines =
            new BufferedReader(
                new InputStreamReader(files.open(commit), StandardCharsets.UTF_8))) {
          Set<String> before = Set.copyOf(removed);
          int known = found.size();
          for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            add(new ObjectMapper().readTree(line), found);
          }
          if (found.size() > known || !before.equals(removed)) {
            committed = commit.toUri().toString();
            commits++;
          }
        }
      }
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }

  private void add(JsonNode action, Set<String> found) {
    JsonNode added = action.path("add");
    if (added.path("dataChange").asBoolean()) { // else Delta has only moved rows
      String address = address(added);
      found.add(address);
      long commit = added.path("defaultRowCommitVersion").asLong();
      firstRows.put(address, List.of(commit, added.path("baseRowId").asLong()));
    }
    JsonNode gone = action.path("remove");
    if (gone.path("dataChange").asBoolean()) {
      removed.add(address(gone));
    }
    JsonNode metadata = action.path("metaData");
    if (!metadata.isMissingNode()) {
      rowIds = metadata.path("configuration").path(ROW_IDS).asText(null);
      names = FileNames.of((StructType) DataType.fromJson(metadata.path("schemaString").asText()));
    }
  }

  private String address(JsonNode file) {
    String name = URI.create(file.path("path").asText()).getPath(); // percent-encoded
    return new Path(path, name).toUri().toString();
  }

  @Override
  public Set<String> removed() {
    return removed;
  }

  @Override
  public String committed() {
    return committed;
  }

  @Override
  public int commits() {
    return commits;
  }

  @Override
  public Map<String, String> fileNames() {
    return names;
  }

  @Override
  public Map<String, Object> tracking() {
    return rowIds == null ? null : Map.of("column", rowIds, "files", firstRows);
  }
}
