package provhouse.capturing.rules;

import org.apache.spark.sql.catalyst.optimizer.BuildLeft$;
import org.apache.spark.sql.catalyst.optimizer.BuildSide;
import org.apache.spark.sql.catalyst.plans.logical.*;
import provhouse.capturing.plans.*;
import provhouse.capturing.spark.*;
import scala.Option;

/**
 * Keeps the broadcasts that Spark uses for joins.
 *
 * <p>Spark estimates the size of a join's side from its columns, so the added slots can make a side
 * seem too large for a broadcast. But to broadcast a side with its slots takes less time than to
 * shuffle both sides.
 */
final class Broadcasts {
  private Broadcasts() {}

  /** Return a join with rewritten sides, which uses a broadcast if Spark would for {@code node}. */
  static LogicalPlan joined(Join node, LogicalPlan left, LogicalPlan right) {
    Join joined = (Join) Plans.withChildren(node, left, right);
    Option<BuildSide> side = Operators.broadcast(node);
    if (!node.hint().isEmpty() || side.isEmpty() || Operators.broadcast(joined).isDefined()) {
      return joined;
    }
    Option<HintInfo> broadcast = Option.apply(new HintInfo(Option.apply(BROADCAST$.MODULE$)));
    boolean isLeft = side.get() == BuildLeft$.MODULE$;
    JoinHint hint =
        new JoinHint(isLeft ? broadcast : Option.empty(), isLeft ? Option.empty() : broadcast);
    return joined.copy(left, right, joined.joinType(), joined.condition(), hint);
  }
}
