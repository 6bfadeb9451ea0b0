package provhouse.capturing.rules;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.EqualTo;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.If;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.expressions.PythonUDF;
import org.apache.spark.sql.catalyst.expressions.SparkPartitionID;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.MapInArrow;
import org.apache.spark.sql.catalyst.plans.logical.MapInPandas;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.types.StructType;
import provhouse.capturing.plans.Plans;
import provhouse.capturing.taps.Rewritten;
import provhouse.capturing.taps.Slot;
import provhouse.capturing.taps.Taps;

/**
 * The rule for Python functions over the rows of a task: each row that a function returns derives
 * from all rows that the task has passed to it.
 *
 * <p>Which of them the function has used is not known. The tap, the function and what reads its
 * result are in one task, since Spark puts no shuffle between them, so the number of the partition
 * connects them.
 *
 * <p>A function that {@code provhouse.row_by_row} has marked hands on the slots of each row, which
 * are more columns of what it is given. Its name says that it is marked, since that is all of it
 * that a plan shows.
 */
final class PythonMaps {
  /** The end of the names of marked functions, as in {@code capturing/row_by_row.py}. */
  private static final String MARKED = " (row by row)";

  /** The beginning of the names of the columns with slots, as in that file. */
  private static final String SLOT = "provhouse_slot_";

  private final Rewriter rewriter;
  private final Taps taps;

  PythonMaps(Rewriter rewriter, Taps taps) {
    this.rewriter = rewriter;
    this.taps = taps;
  }

  static boolean covers(LogicalPlan node) {
    return node instanceof MapInPandas || node instanceof MapInArrow;
  }

  /** Return whether an operator is a function that is declared to work row by row. */
  static boolean isRowByRow(LogicalPlan node) {
    return covers(node) && function(node).name().endsWith(MARKED);
  }

  private static PythonUDF function(LogicalPlan node) {
    return (PythonUDF)
        (node instanceof MapInPandas
            ? ((MapInPandas) node).functionExpr()
            : ((MapInArrow) node).functionExpr());
  }

  Rewritten map(LogicalPlan node) {
    return isRowByRow(node) ? rows(node) : task(node);
  }

  /** Return the rows of a marked function with the slots of the rows that they were made from. */
  private Rewritten rows(LogicalPlan node) {
    LogicalPlan input = Plans.<LogicalPlan>list(node.children()).get(0);
    Rewritten child = rewriter.rewrite(input);
    List<NamedExpression> given = new ArrayList<>(Plans.<Attribute>list(input.output()));
    List<Attribute> returned = new ArrayList<>();
    List<NamedExpression> columns = new ArrayList<>(Plans.<Attribute>list(node.output()));
    List<Slot> slots = new ArrayList<>();
    for (Slot slot : child.slots()) {
      String name = SLOT + slots.size();
      given.add(Plans.alias(Plans.orElse(slot.attribute(), Plans.NONE), name)); // no NULL in pandas
      Attribute number = Plans.numbers(name);
      Expression none = new EqualTo(number, Plans.number(Plans.NONE));
      Alias above = Plans.alias(new If(none, Plans.nothing(), number), "provhouse_slot");
      returned.add(number);
      columns.add(above);
      slots.add(new Slot(above.toAttribute(), slot.tap()));
    }
    LogicalPlan below = new Project(Plans.seq(given), child.plan());
    return new Rewritten(new Project(Plans.seq(columns), with(node, below, returned)), slots);
  }

  /** Return the operator with another input, and with more columns at the end of its output. */
  private static LogicalPlan with(LogicalPlan node, LogicalPlan input, List<Attribute> more) {
    List<Attribute> output = Plans.joined(Plans.list(node.output()), more);
    PythonUDF wider = wider(function(node), more);
    if (node instanceof MapInPandas) {
      MapInPandas one = (MapInPandas) node;
      return one.copy(wider, Plans.seq(output), input, one.isBarrier(), one.profile());
    }
    MapInArrow one = (MapInArrow) node;
    return one.copy(wider, Plans.seq(output), input, one.isBarrier(), one.profile());
  }

  private static PythonUDF wider(PythonUDF plain, List<Attribute> more) {
    StructType result = (StructType) plain.dataType();
    for (Attribute each : more) {
      result = result.add(each.name(), each.dataType());
    }
    return plain.copy(
        plain.name(),
        WorkerFunction.returning(plain.func(), more.size()),
        result,
        plain.children(),
        plain.evalType(),
        plain.udfDeterministic(),
        plain.resultId());
  }

  private Rewritten task(LogicalPlan node) {
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
