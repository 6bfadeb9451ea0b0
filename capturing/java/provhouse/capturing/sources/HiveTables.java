package provhouse.capturing.sources;

import org.apache.spark.sql.catalyst.catalog.CatalogTable;
import org.apache.spark.sql.catalyst.catalog.HiveTableRelation;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import provhouse.capturing.Unsupported;
import provhouse.capturing.plans.*;
import scala.Option;

/**
 * Refuses tables that Spark reads and writes by the classes of Hive.
 *
 * <p>Spark itself reads and writes tables of Hive in Parquet and ORC, which are like all other
 * tables of files.
 */
public final class HiveTables {
  private static final String WRITE = "InsertIntoHiveTable";

  private HiveTables() {}

  /** Refuse an operator that reads the rows of a table by Hive. */
  public static void checkRead(LogicalPlan node) {
    if (node instanceof HiveTableRelation table) {
      throw Unsupported.operator("scan", "It reads " + of(table.tableMeta()));
    }
  }

  /** Refuse a command that writes the rows of a table by Hive. */
  public static void checkWrite(LogicalPlan command) {
    if (command.getClass().getSimpleName().equals(WRITE)) {
      throw Unsupported.write("It writes " + of((CatalogTable) Plans.field(command, "table")));
    }
  }

  private static String of(CatalogTable table) {
    Option<String> serde = table.storage().serde();
    return "the Hive table " + table.identifier().table() + " by Hive's own classes ("
        + (serde.isDefined() ? serde.get() : "unknown") + "); only Hive tables in Parquet and ORC are covered";
  }
}
