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

  CopyOnWrite(ReplaceData write) {
    this.write = write;
  }

  private boolean is(Command command) {
    return write.operation().command() == command;
  }

  @Override
  Rewritten scanned(LogicalPlan node, Rewritten rows) {
    if (!RowLevel.isChanged(node)) {
      return rows;
    }
    int kind = is(Command.DELETE) ? Form.KEPT : TARGET; // DELETE only copies
    Slot id = new Slot(rows.slots().get(0).attribute(), kind);
    Rewritten found = new Rewritten(rows.plan(), List.of(id));
    return is(Command.UPDATE) ? updated(node, found, condition()) : found;
  }

  private Expression condition() {
    if (!Plans.parts(write.condition(), PlanExpression.class).isEmpty()) {
      throw Unsupported.write("The condition of the UPDATE has a subquery");
    }
    return write.condition();
  }

  @Override
  boolean copies() {
    return true;
  }

  /** Return the written rows. Copied rows derive from nothing else, such as a subquery. */
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
        slots.add(slot);
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
