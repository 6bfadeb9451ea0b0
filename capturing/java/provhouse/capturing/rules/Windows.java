package provhouse.capturing.rules;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Window;
import provhouse.capturing.plans.*;
import provhouse.capturing.taps.*;

/**
 * The rule for window functions: a row derives from itself and from the rows that the functions
 * use.
 *
 * <p>If the functions use the whole partition, a tap below the window writes the rows of each
 * partition as one shared derivation, so that n rows need only n entries. If the functions use only
 * parts of the partition, a tap above the window writes each row's number in its partition, from
 * which an ingest computes the rows of each part.
 */
record Windows(Rewriter rewriter, Taps taps) {
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
    Map<String, Object> operator = operator(node, child.slots(), exact ? "exact" : "superset");
    int number = taps.number("window", node.child(), key, operator);
    LogicalPlan plan = Plans.withChildren(node, taps.keyed(number, key, below, child));
    return new Rewritten(
        plan, Plans.joined(child.slots(), List.of(new Slot(below.toAttribute(), number))));
  }

  /**
   * Rewrite a window whose functions use parts of partitions. A row carries the key of its part.
   */
  private Rewritten framed(Window node, Rewritten child, GroupKey key) {
    Frames frames = Frames.of(node);
    Map<String, Object> operator = operator(node, child.slots(), "exact");
    operator.put("checked", key.check() != null);
    operator.put("parts", frames.described());
    if (frames.described().stream().anyMatch(each -> each.containsKey("found"))) {
      operator.put("form", Form.MATCHING);
    }
    operator.put("columns", frames.columns().size());
    int number = taps.number("window", node, operator);
    List<Attribute> written = new ArrayList<>();
    LogicalPlan plan =
        Taps.added(key.value(), "provhouse_partition", frames.numbered(child.plan()), written);
    if (key.check() != null) {
      plan = Taps.added(key.check(), "provhouse_check", plan, written);
    }
    int place = written.size();
    for (Attribute each : frames.columns()) {
      plan = Taps.added(Plans.asLong(each), each.name(), plan, written);
    }
    Expression key64 = GroupKey.ofPart(written.get(0), written.get(place));
    Alias part = Plans.alias(key64, "provhouse_part");
    written.add(0, part.toAttribute());
    written.addAll(Slot.attributes(child.slots()));
    return new Rewritten(
        taps.tapped(number, written, Plans.withColumn(plan, part)),
        Plans.joined(child.slots(), List.of(new Slot(part.toAttribute(), number))));
  }

  private static Map<String, Object> operator(Window node, List<Slot> slots, String exactness) {
    List<Expression> partition = Plans.list(node.partitionSpec());
    Map<String, Object> operator = Taps.operator(node, partition, slots, exactness);
    operator.put("place", Places.of(node));
    return operator;
  }
}
