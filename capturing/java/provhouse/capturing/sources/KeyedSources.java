package provhouse.capturing.sources;

import java.util.*;
import org.apache.spark.sql.catalyst.expressions.*;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.datasources.LogicalRelation;
import org.apache.spark.sql.execution.datasources.jdbc.JDBCOptions;
import org.apache.spark.sql.execution.datasources.jdbc.JDBCRelation;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.DataTypes;
import provhouse.capturing.Unsupported;
import provhouse.capturing.plans.*;
import provhouse.capturing.taps.*;

/**
 * Rewrites scans of sources without row indexes, such as CSV files and tables of other databases.
 *
 * <p>A tap directly above the scan writes the id and the declared key of each row. Spark does not
 * push filters from above the tap into the scan, so the keys of all rows can be checked.
 */
public final class KeyedSources {
  private final Map<String, List<String>> keys;
  private final Taps taps;
  private final SQLConf settings;
  private final Set<Object> used;
  private final List<Map<String, Object>> described = new ArrayList<>();

  /**
   * Rewrite the scans of one write.
   *
   * <p>{@code keys} has the key columns of each table, by the table's name. {@code used} has the
   * ids of all columns that the plan uses; other columns are not read.
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

  /** Add the scans of a cached frame that the plan reads, unless they were added before. */
  public void include(KeyedSources cached) {
    for (Map<String, Object> scan : cached.described) {
      Map<String, Object> entry = new LinkedHashMap<>(scan);
      entry.putIfAbsent("folder", Taps.address(cached.taps.folder()));
      if (!described.contains(entry)) {
        described.add(entry);
      }
    }
  }

  /** Return whether the program has declared a key of a source. */
  boolean hasKey(LogicalRelation node) {
    String table = TableNames.declared(node);
    return table != null && hasKey(table);
  }

  /** Return whether the program has declared a key of the table with this name. */
  boolean hasKey(String table) {
    return keys.containsKey(table);
  }

  /** Return a tap that writes numbers, to a folder with this name. */
  Tap tap(String name, int columns) {
    return taps.tap(name, columns, 0);
  }

  /** Return the URI of the folder of a tap. */
  String address(String name) {
    return Taps.address(taps.folder() + "/" + name);
  }

  /**
   * Rewrite a scan. In its row ids, file numbers begin at {@code number}. Refuse a scan without a
   * key.
   */
  public Rewritten scan(LogicalRelation node, long number) {
    String table = TableNames.declared(node);
    boolean isTopic = KafkaTopic.of(node) != null;
    List<String> key = isTopic ? KafkaTopic.KEY : table == null ? null : keys.get(table);
    if (key == null) {
      String source = table == null ? node.relation().getClass().getSimpleName() : table;
      throw Unsupported.unkeyed(
          "source",
          "It reads " + source + ", which does not number its rows",
          table == null ? "table" : table);
    }
    Expression text = KeyText.of(Plans.output(node), key, table, settings);
    List<NamedExpression> read = new ArrayList<>();
    List<NamedExpression> columns = new ArrayList<>();
    for (Attribute column : Plans.output(node)) {
      boolean needed = used.contains(column.exprId());
      if (needed || text.references().contains(column)) {
        read.add(column);
      }
      Literal unread = new Literal(null, column.dataType());
      columns.add(needed ? column : Plans.renamed(unread, column));
    }
    List<Expression> counter = List.of(new MonotonicallyIncreasingID());
    Expression counted = Plans.call(new KeyedIds(number), "id", DataTypes.LongType, counter, true);
    Alias id = Plans.alias(counted, "provhouse_row");
    List<Attribute> written = new ArrayList<>(List.of(id.toAttribute()));
    List<NamedExpression> numbers = new ArrayList<>(List.of(id));
    Listing files = Listing.of(node);
    if (files != null) {
      Alias file = Plans.alias(files.number(), "provhouse_file");
      written.add(file.toAttribute());
      numbers.add(file);
    }
    LogicalPlan numbered =
        Plans.only(Plans.<NamedExpression>joined(read, numbers), Plans.only(read, node));
    Tap tap = taps.tap("source-" + described.size(), written.size(), 1);
    LogicalPlan tapped = Taps.tapped(tap, written, List.of(text), numbered);
    columns.add(id.toAttribute());
    describe(table, key, number, files, node);
    return new Rewritten(
        Plans.only(columns, tapped), List.of(new Slot(id.toAttribute(), Form.ROWS)));
  }

  /** Rewrite rows of the program: a tap above them writes the id and the number of each row. */
  public Rewritten program(ProgramRows rows) {
    Attribute id = rows.id();
    Expression row = new BitwiseAnd(id, Plans.number((1L << Form.ROW_BITS) - 1));
    Expression text = Plans.asText(row, settings.sessionLocalTimeZone());
    Tap tap = taps.tap("source-" + described.size(), 1, 1);
    describe(rows.table(), List.of("row"), rows.number(), 1);
    return new Rewritten(
        Taps.tapped(tap, List.of(id), List.of(text), rows.plan()),
        List.of(new Slot(id, Form.ROWS)));
  }

  private void describe(
      String table, List<String> key, long number, Listing files, LogicalRelation node) {
    Map<String, Object> entry = describe(table, key, number, KeyedIds.PARTITIONS);
    entry.put("files", files == null ? List.of() : files.paths());
    entry.put("states", files == null ? List.of() : files.states());
    entry.put("root", files == null ? "" : SourceFiles.roots(node).get(0)); // it has only one root
    entry.put("place", placeOf(node));
  }

  private Map<String, Object> describe(
      String table, List<String> key, long number, int partitions) {
    Map<String, Object> entry = new LinkedHashMap<>();
    entry.put("number", number);
    entry.put("partitions", partitions);
    entry.put("table", table);
    entry.put("key", key);
    entry.put("tap", "source-" + described.size());
    described.add(entry);
    return entry;
  }

  /**
   * Return the path that represents a table of another database or a topic, or an empty string for
   * files.
   */
  private static String placeOf(LogicalRelation node) {
    if (node.relation() instanceof JDBCRelation database) {
      JDBCOptions options = database.jdbcOptions();
      return TableNames.placeOf(options.url(), options.tableOrQuery()).toString();
    }
    KafkaTopic topic = KafkaTopic.of(node);
    return topic == null ? "" : TableNames.placeOf(topic.servers(), topic.name()).toString();
  }
}
