package provhouse.capturing;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.expressions.UnboundedFollowing$;
import org.apache.spark.sql.catalyst.expressions.UnboundedPreceding$;
import org.apache.spark.sql.catalyst.expressions.SpecifiedWindowFrame;
import org.apache.spark.sql.catalyst.expressions.WindowExpression;
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Window;

/**
 * The rule for window functions: a row derives from itself and from all rows of its partition.
 *
 * <p>The rows of a partition are one shared derivation, so n rows need n entries. That is more than
 * what was used if a frame is a part of the partition, or if the function looks at a part of it.
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
    List<Expression> partition = Plans.list(node.partitionSpec());
    GroupKey key = GroupKey.of(partition, "Window");
    Alias below = Plans.alias(key.value(), "provhouse_partition");
    int number =
        taps.number(
            "window",
            Plans.withColumn(node.child(), Plans.alias(key.value(), "key")),
            operator(node, partition, child.slots(), key));
    LogicalPlan tapped = taps.keyed(number, key, below, child);
    LogicalPlan plan = Rewriter.withChildren(node, tapped);
    return new Rewritten(
        plan, Plans.joined(child.slots(), List.of(new Slot(below.toAttribute(), number))));
  }

  private static Map<String, Object> operator(
      Window node, List<Expression> partition, List<Slot> slots, GroupKey key) {
    Map<String, Object> operator = new LinkedHashMap<>();
    String by = partition.stream().map(Expression::sql).collect(Collectors.joining(", "));
    operator.put("by", Rewriter.shortened(by));
    operator.put("sql", Rewriter.shortened(node.simpleString(Rewriter.LONGEST_TEXT)));
    operator.put("slots", Slot.kinds(slots));
    operator.put("checked", key.check() != null);
    List<NamedExpression> columns = Plans.list(node.windowExpressions());
    boolean whole = columns.stream().allMatch(each -> isWhole((Expression) each));
    operator.put("exactness", whole ? "exact" : "superset");
    return operator;
  }

  /** Return whether all window functions aggregate all rows of the partition. */
  private static boolean isWhole(Expression expression) {
    if (expression instanceof WindowExpression) {
      WindowExpression window = (WindowExpression) expression;
      if (!(window.windowFunction() instanceof AggregateExpression)
          || !(window.windowSpec().frameSpecification() instanceof SpecifiedWindowFrame)) {
        return false;
      }
      SpecifiedWindowFrame frame = (SpecifiedWindowFrame) window.windowSpec().frameSpecification();
      return frame.lower() == UnboundedPreceding$.MODULE$
          && frame.upper() == UnboundedFollowing$.MODULE$;
    }
    return Plans.<Expression>list(expression.children()).stream().allMatch(Windows::isWhole);
  }
}
