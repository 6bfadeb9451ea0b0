package provhouse.capturing.taps;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import provhouse.capturing.plans.Plans;

/** The taps of one captured plan, numbered from 0. */
public final class Taps {
  private final String folder;
  private final Switch running;
  private final boolean watched;
  private final boolean valued;
  private final List<Map<String, Object>> described = new ArrayList<>();
  private final Map<List<Object>, Integer> known = new HashMap<>();

  /**
   * Make the taps of a write, which may be {@code watched} by a budget.
   *
   * <p>If {@code valued}, those below aggregates write what each row gives to the aggregate.
   */
  public Taps(String folder, boolean watched, boolean valued) {
    this(folder, new Switch(), watched, valued);
  }

  /** Make taps that can be switched off, since their plan may outlive the block. */
  public Taps(String folder, Switch running) {
    this(folder, running, false, false);
  }

  private Taps(String folder, Switch running, boolean watched, boolean valued) {
    this.folder = folder;
    this.running = running;
    this.watched = watched;
    this.valued = valued;
  }

  public String folder() {
    return folder;
  }

  /** Return the URI of a folder, as descriptions have it. */
  public static String address(String folder) {
    return new Path(folder).toUri().toString();
  }

  public boolean valued() {
    return valued;
  }

  /** Add the taps of a cached frame that is read, once; return the number of each. */
  public List<Integer> include(Taps cached) {
    List<Integer> numbers = new ArrayList<>();
    for (int tap = 0; tap < cached.described.size(); tap++) {
      List<Object> form = List.of(cached.folder, tap);
      Integer number = known.get(form);
      if (number == null) {
        number = described.size();
        known.put(form, number);
        described.add(included(cached.described.get(tap), cached.folder, tap, numbers));
      }
      numbers.add(number);
    }
    return numbers;
  }

  /** Return the description of a tap in another folder; its slots are taps before it. */
  private static Map<String, Object> included(
      Map<String, Object> given, String folder, int tap, List<Integer> numbers) {
    Map<String, Object> description = new LinkedHashMap<>(given);
    description.putIfAbsent("folder", address(folder) + "/" + tap);
    List<Integer> slots = new ArrayList<>();
    for (Object slot : (List<?>) given.get("slots")) {
      slots.add((Integer) slot == Slot.ROWS ? Slot.ROWS : numbers.get((Integer) slot));
    }
    description.put("slots", slots);
    return description;
  }

  /** Return the number for what an operator merges; equal inputs have one number. */
  public int number(String kind, LogicalPlan merged, Map<String, Object> operator) {
    List<Object> form = List.of(kind, merged.canonicalized());
    Integer number = known.get(form);
    if (number == null) {
      number = described.size();
      known.put(form, number);
      Map<String, Object> description = new LinkedHashMap<>(operator);
      description.put("kind", kind);
      description.put("proofs", 0);
      description.putIfAbsent("checked", false);
      described.add(description);
    }
    return number;
  }

  /** Note that a tap lists more rows than were used. */
  public void widen(int number) {
    described.get(number).put("exactness", "superset");
  }

  /**
   * Return the rows with their key as a column, and a tap that writes it with the slots of each row.
   *
   * <p>A key that may stand for two groups is followed by its check. A key that the files of a source
   * have is not written.
   */
  public LogicalPlan keyed(int number, GroupKey key, Alias named, Rewritten rows) {
    return keyed(number, key, named, rows, null);
  }

  /** Return such a tap that also writes what each row gives to an aggregate, if that is not null. */
  public LogicalPlan keyed(int number, GroupKey key, Alias named, Rewritten rows, Expression given) {
    List<Attribute> written = new ArrayList<>();
    LogicalPlan plan = Plans.withColumn(rows.plan(), named);
    if (key.source() == null) {
      written.add(named.toAttribute());
    }
    if (key.check() != null) {
      Alias check = Plans.alias(key.check(), "provhouse_check");
      plan = Plans.withColumn(plan, check);
      written.add(check.toAttribute());
    }
    written.addAll(Plans.attributes(rows.slots()));
    if (given != null) {
      Alias value = Plans.alias(given, "provhouse_value");
      plan = Plans.withColumn(plan, value);
      written.add(value.toAttribute());
    }
    return Plans.tapped(tap(number, written.size()), written, plan);
  }

  public Tap tap(int number, int columns) {
    return new Tap(folder + "/" + number, columns, 0, running, watched);
  }

  /**
   * Return a tap that writes the keys of all groups, to prove that they are distinct.
   *
   * <p>Spark may compute equal aggregates twice, so each place in the plan has a tap of its own.
   */
  public Tap proof(int number) {
    return new Tap(folderOfPlace(number), 1, 0, running, watched);
  }

  private String folderOfPlace(int number) {
    Map<String, Object> description = described.get(number);
    int place = (Integer) description.get("proofs");
    description.put("proofs", place + 1);
    return folder + "/" + number + "-keys-" + place;
  }

  /** Return a tap of marked rows with their keys as texts; each place in the plan has its own. */
  public Tap marked(int number, int columns) {
    return new Tap(folderOfPlace(number), columns, 1, running, watched);
  }

  /** Return a tap that writes numbers of the rows of a source with their keys. */
  public Tap source(String name, int columns) {
    return new Tap(folder + "/" + name, columns, 1, running, watched);
  }

  public Tap rows(int columns, int texts) {
    return new Tap(folder + "/rows", columns, texts, running, watched);
  }

  public List<Map<String, Object>> described() {
    return described;
  }
}
