package provhouse.capturing;

import java.util.Set;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.V2CreateTableAsSelectPlan;
import org.apache.spark.sql.catalyst.plans.logical.V2WriteCommand;
import org.apache.spark.sql.execution.command.DataWritingCommand;

/** Knows which commands change rows in a way that no rule covers. */
final class Commands {
  private static final String DELTA = "org.apache.spark.sql.delta.commands.";
  private static final Set<String> WRITERS =
      Set.of(
          "SaveIntoDataSourceCommand",
          "InsertIntoDataSourceCommand",
          "InsertIntoDataSourceDirCommand",
          "LoadDataCommand",
          "VacuumTableCommand",
          "MergeIntoTable",
          "UpdateTable",
          "DeleteFromTable",
          "DeleteFromTableWithFilters");

  private Commands() {}

  static void refuse(LogicalPlan command) {
    if (DeltaCommand.isStaged(command)) {
      return;
    }
    String name = command.getClass().getSimpleName();
    if (command instanceof V2WriteCommand
        || command instanceof V2CreateTableAsSelectPlan
        || command instanceof DataWritingCommand
        || WRITERS.contains(name)
        || command.getClass().getName().startsWith(DELTA)) {
      throw Unsupported.operator(name, "Only writes of Parquet, Delta, CSV, JSON, ORC, text and JDBC are captured");
    }
  }
}
