package provhouse.capturing.rules;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.expressions.*;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.MergeRows;
import org.apache.spark.sql.types.DataTypes;
import provhouse.capturing.plans.*;
import provhouse.capturing.taps.*;
import scala.collection.immutable.Seq;

/**
 * The rule for the operator of a MERGE that turns a joined row of source and target into written
 * rows, by the first instruction whose condition is true.
 */
final class Merges {
  private Merges() {}

  /**
   * Rewrite the operator. A row has the slots of its joined row, unless an instruction copies it.
   */
  static Rewritten merged(MergeRows node, Rewritten rows, Change change) {
    List<Slot> before = rows.slots();
    Slot target = change.copies() ? Change.target(before) : null;
    List<Slot> slots = new ArrayList<>();
    List<Expression> changed = new ArrayList<>(Slot.attributes(before));
    List<Expression> copied = new ArrayList<>();
    for (Slot slot : before) {
      int kind = target != null && slot.tap() == Change.TARGET ? Form.ROWS : slot.tap();
      slots.add(new Slot(Plans.column("provhouse_slot", DataTypes.LongType), kind));
      copied.add(Plans.nothing());
    }
    if (target != null) {
      slots.add(new Slot(Plans.column("provhouse_kept", DataTypes.LongType), Form.KEPT));
      changed.add(Plans.nothing());
      copied.add(target.attribute());
    }
    Map<String, Object> wider =
        Map.of(
            "matchedInstructions", wider(node.matchedInstructions(), changed, copied),
            "notMatchedInstructions", wider(node.notMatchedInstructions(), changed, copied),
            "notMatchedBySourceInstructions",
                wider(node.notMatchedBySourceInstructions(), changed, copied),
            "output", Plans.seq(Plans.joined(Plans.output(node), Slot.attributes(slots))));
    LogicalPlan plan = Plans.with(Plans.withChildren(node, rows.plan()), wider);
    return new Rewritten(plan, slots);
  }

  private static Seq<Expression> wider(
      scala.collection.Iterable<?> instructions,
      List<Expression> changed,
      List<Expression> copied) {
    List<Expression> found = new ArrayList<>();
    for (Object each : Plans.list(instructions)) {
      Expression instruction = (Expression) each;
      found.add(RowLevel.wider(instruction, RowLevel.copies(instruction) ? copied : changed));
    }
    return Plans.seq(found);
  }
}
