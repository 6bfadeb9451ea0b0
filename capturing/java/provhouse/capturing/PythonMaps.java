package provhouse.capturing;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.SparkPartitionID;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.MapInArrow;
import org.apache.spark.sql.catalyst.plans.logical.MapInPandas;

/**
 * The rule for Python functions over the rows of a task: each row that a function returns derives
 * from all rows that the task has passed to it.
 *
 * <p>Which of them the function has used is not known. The tap, the function and what reads its
 * result are in one task, since Spark puts no shuffle between them, so the number of the partition
 * connects them.
 */
final class PythonMaps {
  private final Rewriter rewriter;
  private final Taps taps;

  PythonMaps(Rewriter rewriter, Taps taps) {
    this.rewriter = rewriter;
    this.taps = taps;
  }

  static boolean covers(LogicalPlan node) {
    return node instanceof MapInPandas || node instanceof MapInArrow;
  }

  Rewritten map(LogicalPlan node) {
    LogicalPlan input = Plans.<LogicalPlan>list(node.children()).get(0);
    Rewritten child = rewriter.rewrite(input);
    String kind = node instanceof MapInPandas ? "mapInPandas" : "mapInArrow";
    Map<String, Object> operator = new LinkedHashMap<>();
    operator.put("by", "");
    operator.put("sql", Rewriter.shortened(node.simpleString(Rewriter.LONGEST_TEXT)));
    operator.put("slots", Slot.kinds(child.slots()));
    operator.put("exactness", "superset");
    int number = taps.number(kind, node, operator);
    Alias below = Plans.alias(Plans.asLong(new SparkPartitionID()), "provhouse_task");
    List<Attribute> written =
        Plans.joined(List.of(below.toAttribute()), Plans.attributes(child.slots()));
    LogicalPlan tapped =
        Plans.tapped(
            taps.tap(number, written.size()), written, Plans.withColumn(child.plan(), below));
    LogicalPlan narrow = Plans.only(Plans.list(input.output()), tapped);
    Alias above = Plans.alias(Plans.asLong(new SparkPartitionID()), "provhouse_task");
    return new Rewritten(
        Plans.withColumn(Rewriter.withChildren(node, narrow), above),
        List.of(new Slot(above.toAttribute(), number)));
  }
}
