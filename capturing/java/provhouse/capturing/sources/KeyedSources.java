package provhouse.capturing.sources;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.MonotonicallyIncreasingID;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.execution.datasources.HadoopFsRelation;
import org.apache.spark.sql.execution.datasources.LogicalRelation;
import org.apache.spark.sql.execution.datasources.jdbc.JDBCOptions;
import org.apache.spark.sql.execution.datasources.jdbc.JDBCRelation;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.DataTypes;
import provhouse.capturing.Settings;
import provhouse.capturing.Unsupported;
import provhouse.capturing.plans.Plans;
import provhouse.capturing.taps.Rewritten;
import provhouse.capturing.taps.Slot;
import provhouse.capturing.taps.Tap;
import provhouse.capturing.taps.Taps;
import provhouse.capturing.targets.JdbcTarget;
import provhouse.capturing.targets.Target;
import scala.Option;

/**
 * Rewrites scans of sources without row indexes, such as CSV files and tables of other databases.
 *
 * <p>A tap directly above the scan writes the id and the declared key of each row. Filters above it
 * are not pushed into the scan, so that the key can be checked in all rows.
 */
public final class KeyedSources {
  private static final Set<String> FORMATS = Set.of("csv", "json", "orc", "text", "txt");
  private final Map<String, List<String>> keys;
  private final Taps taps;
  private final SQLConf settings;
  private final Set<Object> used;
  private final List<Map<String, Object>> described = new ArrayList<>();

  /**
   * Rewrite the scans of one write.
   *
   * <p>{@code keys} has the key columns of tables by name, and {@code used} the ids of all columns
   * that the plan mentions: no other column is read.
   */
  public KeyedSources(
      Map<String, List<String>> keys, Taps taps, SQLConf settings, Set<Object> used) {
    this.keys = keys;
    this.taps = taps;
    this.settings = settings;
    this.used = used;
  }

  public List<Map<String, Object>> described() {
    return described;
  }

  /** Add the scans of a cached frame that is read, once. */
  public void include(KeyedSources cached) {
    for (Map<String, Object> scan : cached.described) {
      Map<String, Object> entry = new LinkedHashMap<>(scan);
      entry.putIfAbsent("folder", Taps.address(cached.taps.folder()));
      if (!described.contains(entry)) {
        described.add(entry);
      }
    }
  }

  /** Rewrite a scan whose rows have the numbers from {@code number} on; refuse it without a key. */
  public Rewritten scan(LogicalRelation node, long number) {
    String table = tableOf(node);
    List<String> key = table == null ? null : keys.get(table);
    if (key == null) {
      String named = table == null ? "table" : table;
      throw new Unsupported(
          "The lineage of this source cannot be captured without a key",
          "It reads " + (table == null ? node.relation().getClass().getSimpleName() : table)
              + ", whose rows have no numbers of their own",
          "Declare its key, as in keys={'" + named + "': 'id'} or " + Settings.PREFIX + "keys."
              + named + "=id");
    }
    Expression text = KeyText.of(Plans.list(node.output()), key, table, settings);
    List<NamedExpression> read = new ArrayList<>();
    List<NamedExpression> columns = new ArrayList<>();
    for (Attribute column : Plans.list(node.output())) {
      boolean needed = used.contains(column.exprId());
      if (needed || text.references().contains(column)) {
        read.add(column);
      }
      columns.add(needed ? column : unread(column));
    }
    Expression counter = new MonotonicallyIncreasingID();
    Alias id =
        Plans.alias(
            Plans.call(
                new KeyedIds(number), "id", DataTypes.LongType, List.of(counter), true),
            "provhouse_row");
    List<Attribute> written = new ArrayList<>(List.of(id.toAttribute()));
    List<NamedExpression> numbers = new ArrayList<>(List.of(id));
    Listing files = Listing.of(node);
    if (files != null) {
      Alias file = Plans.alias(files.number(), "provhouse_file");
      written.add(file.toAttribute());
      numbers.add(file);
    }
    Project numbered =
        new Project(
            Plans.seq(Plans.<NamedExpression>joined(read, numbers)),
            new Project(Plans.seq(read), node));
    Tap tap = taps.source("source-" + described.size(), written.size());
    LogicalPlan tapped = Plans.tapped(tap, written, List.of(text), numbered);
    columns.add(id.toAttribute());
    describe(table, key, number, files, node);
    return new Rewritten(
        new Project(Plans.seq(columns), tapped), List.of(new Slot(id.toAttribute(), Slot.ROWS)));
  }

  private void describe(
      String table, List<String> key, long number, Listing files, LogicalRelation node) {
    Map<String, Object> entry = new LinkedHashMap<>();
    entry.put("number", number);
    entry.put("partitions", KeyedIds.PARTITIONS);
    entry.put("table", table);
    entry.put("key", key);
    entry.put("tap", "source-" + described.size());
    entry.put("files", files == null ? List.of() : files.paths());
    entry.put("states", files == null ? List.of() : files.states());
    entry.put("root", files == null ? "" : SourceFiles.roots(node).get(0)); // it has only one
    entry.put("place", placeOf(node));
    described.add(entry);
  }

  /** Return what stands for the place of a table of another database, or an empty text. */
  private static String placeOf(LogicalRelation node) {
    if (!(node.relation() instanceof JDBCRelation)) {
      return "";
    }
    JDBCOptions options = ((JDBCRelation) node.relation()).jdbcOptions();
    return JdbcTarget.placeOf(options.url(), options.tableOrQuery()).toString();
  }

  private static Alias unread(Attribute column) {
    return new Alias(
        new Literal(null, column.dataType()),
        column.name(),
        column.exprId(),
        column.qualifier(),
        Option.empty(),
        Plans.seq(List.of()));
  }

  /** Return the name of the table as users declare it, or null for an unknown kind of source. */
  private static String tableOf(LogicalRelation node) {
    if (node.catalogTable().isDefined()) {
      return node.catalogTable().get().identifier().table();
    }
    if (node.relation() instanceof HadoopFsRelation) {
      List<Path> roots = SourceFiles.rootPaths(node);
      return roots.size() == 1 ? withoutEnding(roots.get(0).getName()) : null;
    }
    if (node.relation() instanceof JDBCRelation) {
      return JdbcTarget.nameOf(((JDBCRelation) node.relation()).jdbcOptions().tableOrQuery());
    }
    return null;
  }

  /** Return the names of the tables that a scan reads, as the ingest names them. */
  public static List<String> tablesOf(LogicalRelation node) {
    List<String> names = new ArrayList<>();
    if (node.catalogTable().isEmpty() && node.relation() instanceof HadoopFsRelation) {
      for (Path root : SourceFiles.rootPaths(node)) {
        names.add(Target.nameOf(withoutEnding(root.getName())));
      }
      return names;
    }
    String table = tableOf(node);
    return table == null ? names : List.of(table);
  }

  public static String withoutEnding(String name) {
    int dot = name.lastIndexOf('.');
    boolean known = dot > 0 && FORMATS.contains(name.substring(dot + 1).toLowerCase(Locale.ROOT));
    return known ? name.substring(0, dot) : name;
  }
}
