package provhouse.capturing.taps;

import java.util.*;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.catalyst.expressions.*;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.types.DataTypes;
import provhouse.capturing.plans.*;

/** The taps of one captured plan, numbered from 0. */
public final class Taps {
  private static final int LONGEST_TEXT = 1000;
  private final String folder;
  private final AtomicBoolean off;
  private final boolean watched;
  private final boolean valued;
  private final List<Map<String, Object>> described = new ArrayList<>();
  private final Map<List<Object>, Integer> known = new HashMap<>();

  /**
   * Make the taps of a plan. After {@code off} is set, they write nothing, since a cache may
   * outlive its block.
   *
   * <p>If {@code watched}, a budget may stop the taps. If {@code valued}, taps below aggregates
   * write the value that each row contributes to the aggregate.
   */
  public Taps(String folder, AtomicBoolean off, boolean watched, boolean valued) {
    this.folder = folder;
    this.off = off;
    this.watched = watched;
    this.valued = valued;
  }

  public String folder() {
    return folder;
  }

  /** Return the URI of a folder in the format of descriptions. */
  public static String address(String folder) {
    return new Path(folder).toUri().toString();
  }

  public boolean valued() {
    return valued;
  }

  /**
   * Add the taps of a cached frame that are missing here. Return the new numbers of all of the
   * frame's taps.
   */
  public List<Integer> include(Taps cached) {
    List<Integer> numbers = new ArrayList<>();
    for (int tap = 0; tap < cached.described.size(); tap++) {
      Map<String, Object> description = included(cached, tap, numbers);
      numbers.add(number(List.of(cached.folder, tap), description));
    }
    return numbers;
  }

  /**
   * Return the description of a cached frame's tap, with the tap's folder and the new numbers of
   * its slots.
   */
  private static Map<String, Object> included(Taps cached, int tap, List<Integer> numbers) {
    Map<String, Object> description = new LinkedHashMap<>(cached.described.get(tap));
    description.putIfAbsent("folder", address(cached.folder) + "/" + tap);
    List<Integer> slots = new ArrayList<>();
    for (Object slot : (List<?>) description.get("slots")) {
      slots.add((Integer) slot == Form.ROWS ? Form.ROWS : numbers.get((Integer) slot));
    }
    description.put("slots", slots);
    return description;
  }

  /**
   * Return the number of the tap that {@code form} identifies. If the form is new, store the
   * description.
   */
  private int number(List<Object> form, Map<String, Object> description) {
    Integer number = known.putIfAbsent(form, described.size());
    if (number == null) {
      described.add(description);
    }
    return known.get(form);
  }

  /**
   * Return the description of an operator that merges rows with equal values of {@code by}.
   *
   * <p>{@code slots} are the slots of the rows that the operator merges.
   */
  public static Map<String, Object> operator(
      LogicalPlan node, List<? extends Expression> by, List<Slot> slots, String exactness) {
    Map<String, Object> operator = new LinkedHashMap<>();
    operator.put("by", shortened(by.stream().map(Expression::sql).collect(Collectors.joining(", "))));
    operator.put("sql", shortened(node.simpleString(LONGEST_TEXT)));
    operator.put("slots", slots.stream().map(Slot::tap).toList());
    operator.put("exactness", exactness);
    return operator;
  }

  public static String shortened(String text) {
    return text.length() <= LONGEST_TEXT ? text : text.substring(0, LONGEST_TEXT) + "…";
  }

  /** Return the number of the tap for rows that an operator merges; equal plans have one tap. */
  public int number(String kind, LogicalPlan merged, Map<String, Object> operator) {
    Map<String, Object> description = new LinkedHashMap<>(operator);
    description.put("kind", kind);
    description.put("proofs", 0);
    description.putIfAbsent("checked", false);
    return number(List.of(kind, merged.canonicalized()), description);
  }

  /** Return the number of the tap for rows that an operator merges by a key. */
  public int number(String kind, LogicalPlan merged, GroupKey key, Map<String, Object> operator) {
    operator.put("checked", key.check() != null);
    operator.put("source", key.source());
    return number(kind, Plans.withColumn(merged, Plans.alias(key.value(), "key")), operator);
  }

  /** Record that a tap may list more rows than were used. */
  public void widen(int number) {
    described.get(number).put("exactness", "superset");
  }

  /**
   * Return rows with their key as a column, below a tap that writes the key and slots of each row.
   *
   * <p>If the key has a check, the tap writes the check after the key. The tap does not write a key
   * that the files of a source contain.
   */
  public LogicalPlan keyed(int number, GroupKey key, Alias named, Rewritten rows) {
    return keyed(number, key, named, rows, null);
  }

  /**
   * Return rows with their key as a column, below a tap that writes the key and slots of each row.
   * If {@code given} is not null, the tap also writes the value of {@code given} for each row.
   */
  public LogicalPlan keyed(
      int number, GroupKey key, Alias named, Rewritten rows, Expression given) {
    List<Attribute> written = new ArrayList<>();
    LogicalPlan plan = Plans.withColumn(rows.plan(), named);
    if (key.source() == null) {
      written.add(named.toAttribute());
    }
    if (key.check() != null) {
      plan = added(key.check(), "provhouse_check", plan, written);
    }
    written.addAll(Slot.attributes(rows.slots()));
    if (given != null) {
      plan = added(given, "provhouse_value", plan, written);
    }
    return tapped(number, written, plan);
  }

  /** Return a plan with a further column, and add the column to {@code written}. */
  public static LogicalPlan added(
      Expression value, String name, LogicalPlan plan, List<Attribute> written) {
    Alias column = Plans.alias(value, name);
    written.add(column.toAttribute());
    return Plans.withColumn(plan, column);
  }

  /** Return a plan below a tap that writes these columns. */
  public LogicalPlan tapped(int number, List<Attribute> written, LogicalPlan plan) {
    return tapped(tap(String.valueOf(number), written.size(), 0), written, List.of(), plan);
  }

  /**
   * Return a plan below a tap that writes the keys of all groups, to prove that the keys are
   * distinct.
   *
   * <p>Spark may compute equal aggregates twice, so each position in the plan has its own tap.
   */
  public LogicalPlan proved(int number, Attribute group, LogicalPlan plan) {
    return tapped(tap(placeOf(number), 1, 0), List.of(group), List.of(), plan);
  }

  /** Return a plan below a tap that writes what its rows look for among the rows of a tap. */
  public LogicalPlan asked(int number, List<Attribute> written, LogicalPlan plan) {
    return tapped(tap(number + "-asked", written.size(), 0), written, List.of(), plan);
  }

  private String placeOf(int number) {
    Map<String, Object> description = described.get(number);
    int place = (Integer) description.get("proofs");
    description.put("proofs", place + 1);
    return number + "-keys-" + place;
  }

  /**
   * Return a tap for marked rows and their keys as strings. Each position in the plan has its own
   * tap.
   */
  public Tap marked(int number, int columns) {
    return tap(placeOf(number), columns, 1);
  }

  /** Return a tap that writes numbers and strings, to a folder with this name. */
  public Tap tap(String name, int columns, int texts) {
    return new Tap(folder + "/" + name, columns, texts, off, watched);
  }

  /**
   * Return a filter that lets every row pass and writes numbers and strings to the tap's file.
   *
   * <p>The filter's condition is not deterministic, so no rule of Spark moves, merges or removes
   * it.
   */
  public static Filter tapped(
      Tap tap, List<Attribute> values, List<Expression> texts, LogicalPlan plan) {
    List<Expression> numbers = new ArrayList<>();
    values.forEach(value -> numbers.add(Plans.orElse(value, Form.NONE)));
    boolean few = texts.isEmpty() && numbers.size() <= Tap.FEW;
    while (few ? numbers.size() < Tap.FEW : numbers.isEmpty()) { // an empty array has no type
      numbers.add(Plans.number(0));
    }
    if (few) {
      return new Filter(Plans.call(tap, "put", DataTypes.BooleanType, numbers, false), plan);
    }
    List<Expression> arrays = new ArrayList<>(List.of(array(numbers)));
    if (!texts.isEmpty()) {
      arrays.add(array(texts));
    }
    String method = texts.isEmpty() ? "putAll" : "putTexts";
    return new Filter(Plans.call(tap, method, DataTypes.BooleanType, arrays, false), plan);
  }

  /** Return a tap that does not write the rows for which {@code skipped} is true. */
  public static Filter except(Expression skipped, Filter tapped) {
    return new Filter(new If(skipped, Literal.TrueLiteral(), tapped.condition()), tapped.child());
  }

  /** Return {@code tapped}, with another tap for the ids of rows that were not written. */
  public Filter except(Expression skipped, Attribute id, Filter tapped) {
    Filter other = tapped(tap("gone", 1, 0), List.of(id), List.of(), tapped.child());
    return new Filter(new If(skipped, other.condition(), tapped.condition()), tapped.child());
  }

  private static Expression array(List<Expression> values) {
    return new CreateArray(Plans.seq(values), false);
  }

  public List<Map<String, Object>> described() {
    return described;
  }

  /** Return the version of the format that a reader of these taps must know. */
  public int form() {
    return described.stream()
        .mapToInt(each -> (Integer) each.getOrDefault("form", Form.FORM))
        .max()
        .orElse(Form.FORM);
  }
}
