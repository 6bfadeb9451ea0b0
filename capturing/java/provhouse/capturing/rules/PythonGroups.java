package provhouse.capturing.rules;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.PythonUDF;
import org.apache.spark.sql.catalyst.plans.logical.FlatMapCoGroupsInArrow;
import org.apache.spark.sql.catalyst.plans.logical.FlatMapCoGroupsInPandas;
import org.apache.spark.sql.catalyst.plans.logical.FlatMapGroupsInArrow;
import org.apache.spark.sql.catalyst.plans.logical.FlatMapGroupsInPandas;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.types.StructType;
import provhouse.capturing.plans.Plans;
import provhouse.capturing.taps.GroupKey;
import provhouse.capturing.taps.Rewritten;
import provhouse.capturing.taps.Slot;
import provhouse.capturing.taps.Taps;

/**
 * The rule for Python functions of groups: each row that a function returns derives from all rows of
 * its group, or of both groups of a cogroup.
 *
 * <p>A tap below writes the rows of each group. The number of the group is one more column of what
 * the function is given. Code around the function takes the column away, and adds it to the result.
 */
final class PythonGroups {
  private static final String NAME = "provhouse_group";
  private final Rewriter rewriter;
  private final Taps taps;
  private boolean absence;

  PythonGroups(Rewriter rewriter, Taps taps) {
    this.rewriter = rewriter;
    this.taps = taps;
  }

  static boolean covers(LogicalPlan node) {
    return node instanceof FlatMapGroupsInPandas
        || node instanceof FlatMapGroupsInArrow
        || node instanceof FlatMapCoGroupsInPandas
        || node instanceof FlatMapCoGroupsInArrow;
  }

  /** Return whether rows may depend on the absence of others: of a group on one side of a cogroup. */
  boolean hasAbsence() {
    return absence;
  }

  /** Return the columns that make the groups of each child. */
  static List<List<Attribute>> grouping(LogicalPlan node) {
    if (node instanceof FlatMapGroupsInPandas) {
      return List.of(Plans.list(((FlatMapGroupsInPandas) node).groupingAttributes()));
    }
    if (node instanceof FlatMapGroupsInArrow) {
      return List.of(Plans.list(((FlatMapGroupsInArrow) node).groupingAttributes()));
    }
    if (node instanceof FlatMapCoGroupsInPandas) {
      FlatMapCoGroupsInPandas both = (FlatMapCoGroupsInPandas) node;
      return List.of(Plans.list(both.leftAttributes()), Plans.list(both.rightAttributes()));
    }
    FlatMapCoGroupsInArrow both = (FlatMapCoGroupsInArrow) node;
    return List.of(Plans.list(both.leftAttributes()), Plans.list(both.rightAttributes()));
  }

  Rewritten map(LogicalPlan node) {
    List<LogicalPlan> inputs = Plans.list(node.children());
    List<List<Attribute>> grouping = grouping(node);
    List<LogicalPlan> children = new ArrayList<>();
    List<Attribute> numbers = new ArrayList<>();
    List<Slot> slots = new ArrayList<>();
    for (int side = 0; side < inputs.size(); side++) {
      Side tapped = tapped(node, inputs.get(side), grouping.get(side));
      children.add(tapped.plan);
      numbers.add(tapped.group);
      slots.add(new Slot(Plans.numbers(NAME + "_" + side), tapped.number));
    }
    absence |= inputs.size() > 1;
    return new Rewritten(with(node, children, numbers, Plans.attributes(slots)), slots);
  }

  private record Side(LogicalPlan plan, Attribute group, int number) {}

  /** Return the input of a function with its tap, and with the group's number as the last column. */
  private Side tapped(LogicalPlan node, LogicalPlan input, List<Attribute> grouping) {
    Rewritten child = rewriter.rewrite(input);
    GroupKey key = GroupKey.of(new ArrayList<Expression>(grouping), node.nodeName());
    Map<String, Object> operator = new LinkedHashMap<>();
    String by = grouping.stream().map(Expression::sql).collect(Collectors.joining(", "));
    operator.put("by", Rewriter.shortened(by));
    operator.put("sql", Rewriter.shortened(node.simpleString(Rewriter.LONGEST_TEXT)));
    operator.put("slots", Slot.kinds(child.slots()));
    operator.put("exactness", "exact");
    operator.put("checked", key.check() != null);
    Alias below = Plans.alias(key.value(), NAME);
    int number =
        taps.number(
            kind(node), Plans.withColumn(input, Plans.alias(key.value(), "key")), operator);
    LogicalPlan tapped = taps.keyed(number, key, below, child);
    List<Attribute> given =
        Plans.joined(Plans.list(input.output()), List.of(below.toAttribute()));
    return new Side(Plans.only(given, tapped), below.toAttribute(), number);
  }

  private static String kind(LogicalPlan node) {
    String method = node.nodeName().endsWith("Arrow") ? "applyInArrow" : "applyInPandas";
    return node.nodeName().contains("CoGroups") ? "cogroup " + method : method;
  }

  /** Return the operator with one more column for each child and with these in its output. */
  private static LogicalPlan with(
      LogicalPlan node, List<LogicalPlan> children, List<Attribute> numbers, List<Attribute> more) {
    List<Attribute> output = Plans.joined(Plans.list(node.output()), more);
    LogicalPlan first = children.get(0);
    if (node instanceof FlatMapGroupsInPandas) {
      FlatMapGroupsInPandas one = (FlatMapGroupsInPandas) node;
      return one.copy(
          one.groupingAttributes(),
          carrying(one.functionExpr(), numbers, more),
          Plans.seq(output),
          first);
    }
    if (node instanceof FlatMapGroupsInArrow) {
      FlatMapGroupsInArrow one = (FlatMapGroupsInArrow) node;
      return one.copy(
          one.groupingAttributes(),
          carrying(one.functionExpr(), numbers, more),
          Plans.seq(output),
          first);
    }
    if (node instanceof FlatMapCoGroupsInPandas) {
      FlatMapCoGroupsInPandas both = (FlatMapCoGroupsInPandas) node;
      return both.copy(
          both.leftGroupingLen(),
          both.rightGroupingLen(),
          carrying(both.functionExpr(), numbers, more),
          Plans.seq(output),
          first,
          children.get(1));
    }
    FlatMapCoGroupsInArrow both = (FlatMapCoGroupsInArrow) node;
    return both.copy(
        both.leftGroupingLen(),
        both.rightGroupingLen(),
        carrying(both.functionExpr(), numbers, more),
        Plans.seq(output),
        first,
        children.get(1));
  }

  private static PythonUDF carrying(
      Expression function, List<Attribute> numbers, List<Attribute> more) {
    PythonUDF plain = (PythonUDF) function;
    StructType result = (StructType) plain.dataType();
    for (Attribute each : more) {
      result = result.add(each.name(), each.dataType());
    }
    return plain.copy(
        plain.name(),
        WorkerFunction.carrying(plain.func(), plain.evalType()),
        result,
        Plans.seq(Plans.joined(Plans.list(plain.children()), numbers)),
        plain.evalType(),
        plain.udfDeterministic(),
        plain.resultId());
  }
}
