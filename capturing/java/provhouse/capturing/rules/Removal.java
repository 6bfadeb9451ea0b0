package provhouse.capturing.rules;

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;

/** A DELETE or TRUNCATE that only removes whole files from a table, so that no plan writes rows. */
final class Removal extends Change {
  private final LogicalPlan command;

  Removal(LogicalPlan command) {
    this.command = command;
  }

  @Override
  public LogicalPlan command() {
    return command;
  }

  @Override
  public Change withoutKey() {
    return this;
  }
}
