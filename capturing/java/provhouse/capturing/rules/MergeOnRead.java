package provhouse.capturing.rules;

import java.util.List;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import provhouse.capturing.plans.*;
import provhouse.capturing.taps.*;

/**
 * A change whose plan, made by Spark, writes only the changed rows, and the positions of the rows
 * that were deleted or replaced.
 */
final class MergeOnRead extends Change {
  @Override
  Rewritten scanned(LogicalPlan node, Rewritten rows) {
    if (!RowLevel.isChanged(node)) {
      return rows;
    }
    Attribute id = rows.slots().get(0).attribute();
    return new Rewritten(rows.plan(), List.of(new Slot(id, TARGET)));
  }

  @Override
  Rewritten finished(List<Attribute> output, Rewritten rows) {
    Slot target = target(rows.slots());
    if (target == null) { // Spark knows that no row of the table changes
      return rows;
    }
    List<Slot> slots =
        rows.slots().stream()
            .map(each -> each == target ? new Slot(target.attribute(), Form.ROWS) : each)
            .toList();
    Slot ended = new Slot(target.attribute(), Form.GONE);
    return new Rewritten(rows.plan(), Plans.joined(slots, List.of(ended)));
  }
}
