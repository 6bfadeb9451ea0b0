package provhouse.capturing.sources;

import java.util.*;
import org.apache.spark.sql.catalyst.expressions.*;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
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
    List<String> key = table == null ? null : keys.get(table);
    if (key == null) {
      String source = table == null ? node.relation().getClass().getSimpleName() : table;
      throw Unsupported.unkeyed(
          "source",
          "It reads " + source + ", which does not number its rows",
          table == null ? "table" : table);
    }
    Expression text = KeyText.of(Plans.output(node), key, table, settings);
    List<NamedExpression> read = read(node, List.of(text));
    List<NamedExpression> columns = columns(node);
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

  /**
   * Rewrite the scan of topics. Each topic has a key and a tap of its own. In the ids of its rows,
   * file numbers begin at {@code first} for the first topic.
   */
  Rewritten topics(LogicalPlan node, KafkaTopics topics, long first) {
    topics.names().forEach(topic -> KafkaTopics.check(topic, keys.get(topic)));
    Expression text = KeyText.of(Plans.output(node), KafkaTopics.KEY, "the topic", settings);
    List<NamedExpression> read = read(node, List.of(text, KafkaTopics.column(node)));
    Alias count = Plans.alias(new MonotonicallyIncreasingID(), "provhouse_count");
    LogicalPlan counted = Plans.withColumn(Plans.only(read, node), count);
    List<Expression> ids = new ArrayList<>();
    List<Expression> counter = List.of(count.toAttribute());
    for (int i = 0; i < topics.names().size(); i++) {
      KeyedIds own = new KeyedIds(first + (long) i * KeyedIds.PARTITIONS);
      ids.add(Plans.call(own, "id", DataTypes.LongType, counter, true));
    }
    Alias id = Plans.alias(topics.choice(node, ids), "provhouse_row");
    LogicalPlan numbered = Plans.withColumn(counted, id);
    List<Expression> conditions = new ArrayList<>();
    for (int i = 0; i < topics.names().size(); i++) {
      conditions.add(tapOfTopic(topics, i, first, id.toAttribute(), text, numbered));
    }
    LogicalPlan tapped = new Filter(topics.choice(node, conditions), numbered);
    List<NamedExpression> columns = columns(node);
    columns.add(id.toAttribute());
    return new Rewritten(
        Plans.only(columns, tapped), List.of(new Slot(id.toAttribute(), Form.ROWS)));
  }

  /** Describe a topic, and return the condition that writes the ids and keys of its rows. */
  private Expression tapOfTopic(
      KafkaTopics topics, int at, long first, Attribute id, Expression text, LogicalPlan rows) {
    Tap tap = taps.tap("source-" + described.size(), 1, 1);
    String topic = topics.names().get(at);
    long number = first + (long) at * KeyedIds.PARTITIONS;
    Map<String, Object> entry = describe(topic, KafkaTopics.KEY, number, KeyedIds.PARTITIONS);
    entry.put("place", TableNames.placeOf(topics.servers(), topic).toString());
    return Taps.tapped(tap, List.of(id), List.of(text), rows).condition();
  }

  /** Return the columns of a scan that the plan or the given expressions use. */
  private List<NamedExpression> read(LogicalPlan node, List<Expression> expressions) {
    List<NamedExpression> found = new ArrayList<>();
    for (Attribute column : Plans.output(node)) {
      boolean needed = expressions.stream().anyMatch(each -> each.references().contains(column));
      if (needed || used.contains(column.exprId())) {
        found.add(column);
      }
    }
    return found;
  }

  /** Return all columns of a scan. Those that the plan does not use are NULL. */
  private List<NamedExpression> columns(LogicalPlan node) {
    List<NamedExpression> found = new ArrayList<>();
    for (Attribute column : Plans.output(node)) {
      Literal unread = new Literal(null, column.dataType());
      found.add(used.contains(column.exprId()) ? column : Plans.renamed(unread, column));
    }
    return found;
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

  /** Return the path that represents a table of another database, or an empty string for files. */
  private static String placeOf(LogicalRelation node) {
    if (node.relation() instanceof JDBCRelation database) {
      JDBCOptions options = database.jdbcOptions();
      return TableNames.placeOf(options.url(), options.tableOrQuery()).toString();
    }
    return "";
  }
}
