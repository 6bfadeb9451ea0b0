package provhouse.capturing.writes;

import java.util.Map;
import org.apache.spark.sql.catalyst.analysis.ResolvedIdentifier;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.V2CreateTableAsSelectPlan;
import org.apache.spark.sql.catalyst.plans.logical.V2WriteCommand;
import org.apache.spark.sql.execution.command.DataWritingCommand;
import org.apache.spark.sql.execution.datasources.SaveIntoDataSourceCommand;
import org.apache.spark.sql.sources.DataSourceRegister;
import provhouse.capturing.Unsupported;
import provhouse.capturing.sources.*;
import provhouse.capturing.targets.*;

/** Refuses commands that change rows in a way that no rule covers. */
public final class Commands {
  private static final String COVERED = "Only writes of files, Delta, Iceberg and JDBC are captured";
  private static final String DELTA = "org.apache.spark.sql.delta.commands.";

  /**
   * The SQL statements of commands that do not have a file format, keyed by the commands' class
   * names.
   */
  private static final Map<String, String> STATEMENTS =
      Map.ofEntries(
          Map.entry("UpdateTable", "UPDATE"),
          Map.entry("UpdateCommand", "UPDATE"),
          Map.entry("DeleteFromTable", "DELETE"),
          Map.entry("DeleteFromTableWithFilters", "DELETE"),
          Map.entry("DeleteCommand", "DELETE"),
          Map.entry("MergeIntoTable", "MERGE"),
          Map.entry("MergeIntoCommand", "MERGE"),
          Map.entry("TruncateDeltaTableCommand", "TRUNCATE TABLE"),
          Map.entry("OptimizeTableCommand", "OPTIMIZE"),
          Map.entry("DeltaReorgTableCommand", "REORG TABLE"),
          Map.entry("VacuumTableCommand", "VACUUM"),
          Map.entry("RestoreTableCommand", "RESTORE TABLE"),
          Map.entry("CreateDeltaTableCommand", "CLONE"),
          Map.entry("CloneTableCommand", "CLONE"),
          Map.entry("ConvertToDeltaCommand", "CONVERT TO DELTA"),
          Map.entry("TruncateTable", "TRUNCATE TABLE"),
          Map.entry("LoadDataCommand", "LOAD DATA"),
          Map.entry("DeltaInsertReplaceOnOrUsingCommand", "INSERT INTO … REPLACE"),
          Map.entry("InsertIntoDataSourceCommand", "INSERT INTO"),
          Map.entry("InsertIntoHiveDirCommand", "INSERT OVERWRITE DIRECTORY"));

  private Commands() {}

  /**
   * Refuse a command that changes rows. Call this only if the command's target is not covered.
   */
  public static void refuse(LogicalPlan command) {
    if (DeltaCommand.isStaged(command)
        || DeltaClone.isNew(command)
        || isStagedIceberg(command)) {
      return;
    }
    String name = command.getClass().getSimpleName();
    String statement = STATEMENTS.get(name);
    if (statement == null && command.getClass().getName().startsWith(DELTA) && !isReading(name)) {
      statement = name;
    }
    if (statement != null) {
      throw Unsupported.statement(statement);
    }
    HiveTables.checkWrite(command);
    if (command instanceof SaveIntoDataSourceCommand saving) {
      throw Unsupported.write("It writes as " + nameOf(saving.dataSource()) + ". " + COVERED);
    }
    if (command instanceof V2WriteCommand
        || command instanceof V2CreateTableAsSelectPlan
        || command instanceof DataWritingCommand) {
      throw Unsupported.operator(name, COVERED);
    }
  }

  /** Return the short name of a data source, such as {@code kafka}, or the name of its class. */
  private static String nameOf(Object source) {
    return source instanceof DataSourceRegister named
        ? named.shortName()
        : source.getClass().getName();
  }

  /** Return whether a Delta command changes nothing, for example DESCRIBE HISTORY. */
  private static boolean isReading(String name) {
    return name.startsWith("Describe") || name.startsWith("Show");
  }

  /** Return whether a command creates an Iceberg table, and then runs an AppendData of its own. */
  private static boolean isStagedIceberg(LogicalPlan command) {
    return command instanceof V2CreateTableAsSelectPlan creating
        && creating.name() instanceof ResolvedIdentifier table
        && table.catalog().getClass().getName().startsWith("org.apache.iceberg.spark.");
  }
}
