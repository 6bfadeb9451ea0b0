package provhouse.capturing.rules;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Window;
import provhouse.capturing.plans.Places;
import provhouse.capturing.plans.Plans;
import provhouse.capturing.taps.GroupKey;
import provhouse.capturing.taps.Rewritten;
import provhouse.capturing.taps.Slot;
import provhouse.capturing.taps.Taps;

/**
 * The rule for window functions: a row derives from itself and from the rows that they look at.
 *
 * <p>If that is the whole partition, a tap below writes the rows of each partition, which are one
 * shared derivation, so that n rows need n entries. If it is a part, a tap above writes the number
 * of each row in its partition, from which the ingest finds the rows of each part.
 */
final class Windows {
  private final Rewriter rewriter;
  private final Taps taps;

  Windows(Rewriter rewriter, Taps taps) {
    this.rewriter = rewriter;
    this.taps = taps;
  }

  Rewritten window(Window node) {
    Rewritten child = rewriter.rewrite(node.child());
    GroupKey key = GroupKey.of(Plans.list(node.partitionSpec()), "Window");
    Frames.Reach reach = Frames.reach(node);
    return reach == Frames.Reach.PART
        ? framed(node, child, key)
        : whole(node, child, key.from(child.slots()), reach == Frames.Reach.WHOLE);
  }

  private Rewritten whole(Window node, Rewritten child, GroupKey key, boolean exact) {
    Alias below = Plans.alias(key.value(), "provhouse_partition");
    Map<String, Object> operator = operator(node, child.slots(), key);
    operator.put("exactness", exact ? "exact" : "superset");
    int number =
        taps.number(
            "window", Plans.withColumn(node.child(), Plans.alias(key.value(), "key")), operator);
    LogicalPlan tapped = taps.keyed(number, key, below, child);
    LogicalPlan plan = Rewriter.withChildren(node, tapped);
    return new Rewritten(
        plan, Plans.joined(child.slots(), List.of(new Slot(below.toAttribute(), number))));
  }

  /** Rewrite a window whose rows use parts of their partitions; rows carry the key of their part. */
  private Rewritten framed(Window node, Rewritten child, GroupKey key) {
    Frames frames = Frames.of(node);
    Map<String, Object> operator = operator(node, child.slots(), key);
    operator.put("exactness", "exact");
    operator.put("parts", frames.described());
    operator.put("columns", frames.columns().size());
    int number = taps.number("window", node, operator);
    Alias partition = Plans.alias(key.value(), "provhouse_partition");
    List<Attribute> written = new ArrayList<>(List.of(partition.toAttribute()));
    LogicalPlan plan = Plans.withColumn(frames.numbered(child.plan()), partition);
    if (key.check() != null) {
      Alias check = Plans.alias(key.check(), "provhouse_check");
      plan = Plans.withColumn(plan, check);
      written.add(check.toAttribute());
    }
    for (Attribute each : frames.columns()) {
      Alias number64 = Plans.alias(Plans.asLong(each), each.name());
      plan = Plans.withColumn(plan, number64);
      written.add(number64.toAttribute());
    }
    Attribute place = written.get(key.check() == null ? 1 : 2);
    Alias part = Plans.alias(GroupKey.ofPart(partition.toAttribute(), place), "provhouse_part");
    plan = Plans.withColumn(plan, part);
    written.add(0, part.toAttribute());
    written.addAll(Plans.attributes(child.slots()));
    LogicalPlan tapped = Plans.tapped(taps.tap(number, written.size()), written, plan);
    return new Rewritten(
        tapped, Plans.joined(child.slots(), List.of(new Slot(part.toAttribute(), number))));
  }

  private static Map<String, Object> operator(Window node, List<Slot> slots, GroupKey key) {
    List<Expression> partition = Plans.list(node.partitionSpec());
    Map<String, Object> operator = new LinkedHashMap<>();
    String by = partition.stream().map(Expression::sql).collect(Collectors.joining(", "));
    operator.put("by", Rewriter.shortened(by));
    operator.put("sql", Rewriter.shortened(node.simpleString(Rewriter.LONGEST_TEXT)));
    operator.put("slots", Slot.kinds(slots));
    operator.put("checked", key.check() != null);
    operator.put("source", key.source());
    operator.put("place", Places.of(node));
    return operator;
  }
}
