package provhouse.capturing.writes;

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import provhouse.capturing.Unsupported;
import provhouse.capturing.targets.*;

/** A write that was not captured: its target, if it is known, and the reason. */
public record Refusal(String target, String table, String problem, String found) {
  static Refusal of(LogicalPlan command, Target known, Unsupported error) {
    String target = known == null ? command.nodeName() : known.path().toUri().toString();
    String table = known == null ? "" : known.table();
    return new Refusal(target, table, error.problem(), error.found());
  }
}
