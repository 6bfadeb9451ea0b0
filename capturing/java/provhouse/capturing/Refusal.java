package provhouse.capturing;

import org.apache.spark.sql.catalyst.catalog.CatalogTable;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.datasources.InsertIntoHadoopFsRelationCommand;
import scala.Option;

/** A write that was not captured: where it writes, as far as that is known, and why. */
public record Refusal(String target, String table, String problem, String found) {
  static Refusal of(LogicalPlan command, Unsupported error) {
    String target = command.nodeName();
    String table = "";
    if (command instanceof InsertIntoHadoopFsRelationCommand) {
      InsertIntoHadoopFsRelationCommand write = (InsertIntoHadoopFsRelationCommand) command;
      Option<CatalogTable> known = write.catalogTable();
      target = write.outputPath().toUri().toString();
      table = known.isDefined() ? known.get().identifier().table() : "";
    }
    return new Refusal(target, table, error.problem(), error.found());
  }
}
