package provhouse.capturing.rules;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.types.DataTypes;
import provhouse.capturing.plans.*;
import provhouse.capturing.taps.*;
import scala.collection.Seq;

/**
 * The rule for Python functions of groups: each row that a function returns derives from all rows
 * of its group, or of both groups of a cogroup.
 *
 * <p>A tap below the function writes the rows of each group. The frame of a group gets the group's
 * number as a further column. Code around the function removes this column from the function's
 * input, and adds it to the function's result.
 */
record PythonGroups(Rewriter rewriter, Taps taps) {
  private static final String NAME = "provhouse_group";
  /** Return, for each child, the columns that group its rows. */
  static List<List<Attribute>> grouping(LogicalPlan node) {
    if (Plans.children(node).size() == 1) {
      Seq<Attribute> columns = Named.call(node, "groupingAttributes");
      return List.of(Plans.list(columns));
    }
    Seq<Attribute> left = Named.call(node, "leftAttributes");
    Seq<Attribute> right = Named.call(node, "rightAttributes");
    return List.of(Plans.list(left), Plans.list(right));
  }

  Rewritten map(LogicalPlan node) {
    List<LogicalPlan> inputs = Plans.children(node);
    LogicalPlan[] children = new LogicalPlan[inputs.size()];
    List<Attribute> numbers = new ArrayList<>();
    List<Slot> slots = new ArrayList<>();
    for (int side = 0; side < children.length; side++) {
      Side tapped = tapped(node, inputs.get(side), grouping(node).get(side));
      children[side] = tapped.plan;
      numbers.add(tapped.group);
      slots.add(new Slot(Plans.column(NAME + "_" + side, DataTypes.LongType), tapped.number));
    }
    if (children.length > 1) {
      rewriter.noteAbsence(); // a side of a cogroup may lack a group
    }
    LogicalPlan below = Plans.withChildren(node, children);
    return new Rewritten(WorkerFunction.carrying(below, numbers, Slot.attributes(slots)), slots);
  }

  private record Side(LogicalPlan plan, Attribute group, int number) {}

  /** Return a function's input with its tap, and with the group's number as the last column. */
  private Side tapped(LogicalPlan node, LogicalPlan input, List<Attribute> grouping) {
    Rewritten child = rewriter.rewrite(input);
    GroupKey key = GroupKey.of(new ArrayList<Expression>(grouping), node.nodeName());
    Map<String, Object> operator = Taps.operator(node, grouping, child.slots(), "exact");
    int number = taps.number(kind(node), input, key, operator);
    Alias below = Plans.alias(key.value(), NAME);
    Attribute group = below.toAttribute();
    LogicalPlan tapped = taps.keyed(number, key, below, child);
    List<Attribute> given = Plans.joined(Plans.output(input), List.of(group));
    return new Side(Plans.only(given, tapped), group, number);
  }

  private static String kind(LogicalPlan node) {
    String method = node.nodeName().endsWith("Arrow") ? "applyInArrow" : "applyInPandas";
    return node.nodeName().contains("CoGroups") ? "cogroup " + method : method;
  }
}
