package provhouse.capturing.rules;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.*;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.MapInPandas;
import org.apache.spark.sql.types.DataTypes;
import provhouse.capturing.plans.*;
import provhouse.capturing.taps.*;

/**
 * The rule for Python functions over the rows of a task: each row that a function returns derives
 * from all rows that the task passed to the function, since it is unknown which of them it used.
 *
 * <p>Spark puts no shuffle between the tap, the function and the reader of its result, so all three
 * run in one task, and the number of the task's partition connects the result with the tap's rows.
 *
 * <p>A function that {@code provhouse.row_by_row} has marked gets the slots of each row as further
 * columns, and returns them. The mark is at the end of the function's name, since a plan contains
 * only the name.
 */
record PythonMaps(Rewriter rewriter, Taps taps) {
  /** The end of the names of marked functions, the same as in {@code capturing/row_by_row.py}. */
  private static final String MARKED = " (row by row)";

  /** The prefix of the columns with slots, the same as in {@code capturing/row_by_row.py}. */
  private static final String SLOT = "provhouse_slot_";

  Rewritten map(LogicalPlan node) {
    return WorkerFunction.of(node).name().endsWith(MARKED) ? rows(node) : task(node);
  }

  /** Return the rows that a marked function makes, with the slots of their input rows. */
  private Rewritten rows(LogicalPlan node) {
    LogicalPlan input = Plans.children(node).get(0);
    Rewritten child = rewriter.rewrite(input);
    List<NamedExpression> given = new ArrayList<>(Plans.output(input));
    List<Attribute> returned = new ArrayList<>();
    List<NamedExpression> columns = new ArrayList<>(Plans.output(node));
    List<Slot> slots = new ArrayList<>();
    for (Slot slot : child.slots()) {
      String name = SLOT + slots.size();
      given.add(Plans.alias(Plans.orElse(slot.attribute(), Form.NONE), name)); // pandas has no NULL among integers
      Attribute number = Plans.column(name, DataTypes.LongType);
      Expression none = new EqualTo(number, Plans.number(Form.NONE));
      Alias above = Plans.alias(new If(none, Plans.nothing(), number), "provhouse_slot");
      returned.add(number);
      columns.add(above);
      slots.add(new Slot(above.toAttribute(), slot.tap()));
    }
    LogicalPlan below = Plans.withChildren(node, Plans.only(given, child.plan()));
    LogicalPlan wider = WorkerFunction.returning(below, returned);
    return new Rewritten(Plans.only(columns, wider), slots);
  }

  private Rewritten task(LogicalPlan node) {
    LogicalPlan input = Plans.children(node).get(0);
    Rewritten child = rewriter.rewrite(input);
    String kind = node instanceof MapInPandas ? "mapInPandas" : "mapInArrow";
    int number = taps.number(kind, node, Taps.operator(node, List.of(), child.slots(), "superset"));
    LogicalPlan tapped = taps.keyed(number, GroupKey.ONE, partition(), child);
    Alias above = partition();
    LogicalPlan narrow = Plans.only(Plans.output(input), tapped);
    return new Rewritten(
        Plans.withColumn(Plans.withChildren(node, narrow), above),
        List.of(new Slot(above.toAttribute(), number)));
  }

  private static Alias partition() {
    return Plans.alias(Plans.asLong(new SparkPartitionID()), "provhouse_task");
  }
}
