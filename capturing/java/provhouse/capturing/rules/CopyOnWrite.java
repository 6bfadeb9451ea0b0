package provhouse.capturing.rules;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.*;
import org.apache.spark.sql.catalyst.plans.logical.*;
import org.apache.spark.sql.connector.write.RowLevelOperation.Command;
import provhouse.capturing.Unsupported;
import provhouse.capturing.plans.*;
import provhouse.capturing.taps.*;

/** A change whose plan, made by Spark, writes all rows of the rewritten files again. */
final class CopyOnWrite extends Change {
  private final ReplaceData write;
  private final boolean keyed;

  CopyOnWrite(ReplaceData write, boolean keyed) {
    this.write = write;
    this.keyed = keyed;
  }

  private boolean is(Command command) {
    return write.operation().command() == command;
  }

  @Override
  Rewritten scanned(LogicalPlan node, Rewritten rows) {
    if (!RowLevel.isChanged(node)) {
      return rows;
    }
    Attribute id = rows.slots().get(0).attribute();
    if (isUnion()) {
      int kind = isCopied(node) ? Form.KEPT : Form.ROWS;
      return new Rewritten(rows.plan(), List.of(new Slot(id, kind)));
    }
    int kind = is(Command.DELETE) ? Form.KEPT : TARGET; // DELETE only copies
    Rewritten found = new Rewritten(rows.plan(), List.of(new Slot(id, kind)));
    return is(Command.UPDATE) ? updated(node, found, write.condition()) : found;
  }

  /**
   * Return whether the plan is a union of changed and copied rows: that of an UPDATE whose condition
   * has a subquery.
   */
  private boolean isUnion() {
    return is(Command.UPDATE)
        && !Plans.parts(write.condition(), PlanExpression.class).isEmpty();
  }

  /** Return whether a scan in a union of changed and copied rows reads the copied ones. */
  private boolean isCopied(LogicalPlan scan) {
    LogicalPlan union = write.query();
    while (Plans.children(union).size() == 1) {
      union = Plans.children(union).get(0);
    }
    List<Boolean> found =
        union instanceof Union
            ? Plans.children(union).stream().map(input -> reads(input, scan)).toList()
            : List.of();
    if (found.equals(List.of(true, false)) || found.equals(List.of(false, true))) {
      return found.get(1); // Spark puts the changed rows first
    }
    throw Unsupported.write("Spark plans an UPDATE with a subquery in an unknown way");
  }

  /** Return whether a plan contains a scan of the changed table that has the same columns. */
  private static boolean reads(LogicalPlan plan, LogicalPlan scan) {
    return RowLevel.isChanged(plan) && !plan.outputSet().intersect(scan.outputSet()).isEmpty()
        || Plans.children(plan).stream().anyMatch(each -> reads(each, scan));
  }

  @Override
  boolean copies() {
    return true;
  }

  /**
   * Return the written rows. Copied rows derive from nothing else, such as a subquery. Without a
   * declared key, a copy is another row, which derives from its original.
   */
  @Override
  Rewritten finished(List<Attribute> output, Rewritten rows) {
    Rewritten found = super.finished(output, rows);
    List<NamedExpression> columns = new ArrayList<>(output);
    List<Slot> slots = new ArrayList<>();
    Attribute kept = kept(found.slots());
    if (kept == null) {
      return found;
    }
    for (Slot slot : found.slots()) {
      if (slot.tap() == Form.KEPT) {
        columns.add(kept);
        slots.add(keyed ? slot : new Slot(kept, Form.ROWS));
      } else if (!is(Command.DELETE)) {
        Expression value = new If(new IsNull(kept), slot.attribute(), Plans.nothing());
        Alias changed = Plans.alias(value, "provhouse_slot");
        columns.add(changed);
        slots.add(new Slot(changed.toAttribute(), slot.tap()));
      }
    }
    return new Rewritten(Plans.only(columns, found.plan()), slots);
  }
}
